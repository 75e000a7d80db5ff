import { onTestFinished } from 'vitest'
import {
  type Handle,
  headerOf,
  type PassedRequest,
  type PassedResponse,
  startProxy,
} from '../../../../fixtures/proxy.ts'

/** What happens to a request: it gets a canned response, or what a function does with it. */
export type Fate = Handle | CannedResponse

interface CannedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** It is passed on to the API. */
export const pass: Handle = (request, forward) => forward(request)

/** It is passed on, but the response is lost. */
export const loseResponse: Handle = async (request, forward) => {
  await forward(request)
  return undefined
}

const canned = ({ status, headers, body = '' }: CannedResponse): PassedResponse => ({
  status,
  headers: Object.entries({ 'Content-Type': 'application/json', ...headers }).flat(),
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

/** Stands between a client and the API for one test, and decides about each request, the first of which is number 1. */
export const relay = async (target: string, fateOf: (nth: number) => Fate) => {
  /** The requests that came, the first one first. */
  const seen: PassedRequest[] = []
  const proxy = await startProxy(target, async (request, forward) => {
    const fate = fateOf(seen.push(request))
    return typeof fate === 'function' ? fate(request, forward) : canned(fate)
  })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return { origin: proxy.endpoint, seen }
}

export { headerOf, type PassedRequest }
