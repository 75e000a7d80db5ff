import { afterAll, expect } from 'vitest'
import { checkResponse } from '../../fixtures/check-response.ts'
import { type LocalApi, localApi } from '../../unit/infra/local/local-api.ts'
import { type Header, type RawRequest, type RawResponse, send } from './connection.ts'

export const json: Header = ['Content-Type', 'application/json']

export const bella = '{"name":"Bella","categoryId":1}'

export interface ReceivedResponse extends RawResponse {
  readonly json: { readonly [name: string]: unknown }
}

/** Sends requests to a local environment. Every response is checked against the contract. */
export interface Caller {
  readonly api: () => LocalApi
  /** With the key, before the headers that the test gives. */
  call(request: RawRequest): Promise<RawResponse>
  get(path: string, ...headers: readonly Header[]): Promise<ReceivedResponse>
  post(body: string | Uint8Array, ...headers: readonly Header[]): Promise<ReceivedResponse>
  /** The newest pet: the result of the request before, if it had any. */
  newest(): Promise<unknown>
}

/** The path by which the contract names a response. The gateway ignores slashes before and after it. */
export const pathOf = (target: string): string =>
  target
    .replace(/[?].*$/s, '')
    .replace(/^\/*/, '/')
    .replace(/\/+$/, '')

/** A caller of an environment for one test file. Nothing that the file does to it may go wrong inside. */
export const hostileCaller = (): Caller => {
  const api = localApi()
  const call = async (request: RawRequest): Promise<RawResponse> => {
    const { port, apiKey } = api()
    const headers: readonly Header[] = [['Authorization', `Bearer ${apiKey}`], ...request.headers]
    const response = await send(port, { ...request, headers })
    expect(checkResponse(request.method, pathOf(request.target), response)).toEqual([])
    return response
  }
  const read = async (request: RawRequest): Promise<ReceivedResponse> => {
    const response = await call(request)
    return { ...response, json: JSON.parse(response.text) }
  }
  const get: Caller['get'] = (target, ...headers) => read({ method: 'GET', target, headers })
  afterAll(async () => {
    expect((await get('/pets?limit=1')).status).toBe(200)
    expect(api().lines).toEqual([])
  })
  return {
    api,
    call,
    get,
    post: (body, ...headers) =>
      read({ method: 'POST', target: '/pets', headers: headers.length === 0 ? [json] : headers, body }),
    newest: async () => JSON.parse((await get('/pets?limit=1')).text)[0],
  }
}

export const expectRefused = async (
  response: Promise<ReceivedResponse>,
  status: number,
  code: string,
  message: string,
): Promise<void> => {
  const { status: seen, json: body } = await response
  expect({ ...body, status: seen }).toEqual({ status, code, message: expect.stringContaining(message) })
}
