import { catalogue } from '../../../shared/contract/generated/errors.ts'
import { ServiceError } from '../../../shared/errors/service-error.ts'
import { parseExactJson, RepeatedNameError } from '../../../shared/exact-json.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'
import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { readInput } from '../../../shared/http/read-input.ts'

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export const controlsOf = (form: HTMLFormElement): readonly Control[] => [
  ...form.querySelectorAll<Control>('input, select, textarea'),
]

/** What is sent, to the letter. */
export interface PanelRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly [name: string, value: string][]
  readonly body: string | undefined
}

/** The parameters and the body that are filled in, by the part of a request where they belong. An empty one is left out. */
const filledIn = (form: HTMLFormElement, where: 'path' | 'query' | 'headers'): [string, string][] =>
  controlsOf(form)
    .filter(({ dataset, value }) => dataset['place']?.startsWith(`/${where}/`) && value !== '')
    .map(({ name, value }) => [name, value])

const bodyOf = (form: HTMLFormElement): string | undefined => form.querySelector('textarea')?.value || undefined

export const requestOf = (form: HTMLFormElement, baseUrl: string, apiKey: string): PanelRequest => {
  const values = new Map(filledIn(form, 'path'))
  const path = (form.dataset['path'] ?? '').replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(values.get(name) ?? ''),
  )
  const query = new URLSearchParams(filledIn(form, 'query'))
  const body = bodyOf(form)
  return {
    method: form.dataset['method'] ?? 'GET',
    url: `${baseUrl}${path}${query.size === 0 ? '' : `?${query}`}`,
    headers: [
      ...named('Authorization', apiKey && `Bearer ${apiKey}`),
      ...named('Content-Type', body && 'application/json'),
      ...filledIn(form, 'headers'),
    ],
    body,
  }
}

const named = (name: string, value: string | undefined): [string, string][] => (value ? [[name, value]] : [])

/** A line for a POSIX shell. */
export const curlOf = ({ method, url, headers, body }: PanelRequest): string =>
  [
    `curl -i${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ')

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * What the contract forbids of what is filled in, and at which control, in the words of the service, which checks a request by
 * the same code.
 */
export const problemOf = (form: HTMLFormElement, contract: OperationContract) => {
  try {
    readInput(contract, eventOf(form))
    return undefined
  } catch (error) {
    const { place, sentence } = explain(error, contract)
    const controls = controlsOf(form)
    const control = controls.find(({ dataset }) => place.startsWith(dataset['place'] ?? ' ')) ?? controls.at(-1)
    return { control, sentence }
  }
}

const explain = (error: unknown, contract: OperationContract) => {
  if (error instanceof RepeatedNameError) return { place: '/body', sentence: 'The body has a field twice.' }
  if (error instanceof SyntaxError) return { place: '/body', sentence: catalogue.malformed_json.message }
  if (!(error instanceof ServiceError)) throw error
  const { instancePath = '', params = {} } = contract.validate.errors?.[0] ?? {}
  const missing = params['missingProperty']
  // For those of the path the service says that nothing was found.
  if (instancePath === '/path') return { place: `/path/${missing}`, sentence: `${missing} is required.` }
  const isPath = instancePath.startsWith('/path/')
  const sentence = isPath ? `${instancePath.slice(6)} must be ${contract.rules[instancePath]}.` : error.message
  return { place: instancePath, sentence }
}

const eventOf = (form: HTMLFormElement): GatewayEvent => {
  const multiple = (where: 'query' | 'headers') =>
    Object.fromEntries(filledIn(form, where).map(([name, value]) => [name, [value]]))
  const body = bodyOf(form)
  const event = {
    pathParameters: Object.fromEntries(
      filledIn(form, 'path').map(([name, value]) => [name, encodeURIComponent(value)]),
    ),
    multiValueQueryStringParameters: multiple('query'),
    multiValueHeaders: multiple('headers'),
    body: body === undefined ? null : parseExactJson(body),
  }
  // It has all that readInput reads.
  return event as unknown as GatewayEvent
}
