import { catalogue } from '../../../shared/contract/generated/errors.ts'
import { ServiceError } from '../../../shared/errors/service-error.ts'
import { MemberNameError, parseExactJson } from '../../../shared/exact-json.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'
import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { readInput } from '../../../shared/http/request/read-input.ts'

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

type NameAndValue = [name: string, value: string]

/** A request, exactly as it is sent. */
export interface PanelRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly NameAndValue[]
  readonly body: string | undefined
}

/** A value that breaks the contract. */
export interface Problem {
  readonly control: Control | undefined
  readonly message: string
}

/** A problem as the validator names it: by the path of the value, such as `/query/limit`. */
interface ValidationProblem {
  readonly instancePath: string
  readonly message: string
}

export const findControls = (form: HTMLFormElement): readonly Control[] => [
  ...form.querySelectorAll<Control>('input, select, textarea'),
]

export const createRequest = (form: HTMLFormElement, baseUrl: string, apiKey: string): PanelRequest => {
  const { method = 'GET', path: pathTemplate = '' } = form.dataset

  const pathValues = new Map(readParameters(form, 'path'))
  const path = pathTemplate.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(pathValues.get(name) ?? ''))
  const query = new URLSearchParams(readParameters(form, 'query'))
  const search = query.size === 0 ? '' : `?${query}`

  const body = readBody(form)
  const headers: NameAndValue[] = []
  if (apiKey !== '') headers.push(['Authorization', `Bearer ${apiKey}`])
  if (body !== undefined) headers.push(['Content-Type', 'application/json'])
  headers.push(...readParameters(form, 'headers'))

  return { method, url: `${baseUrl}${path}${search}`, headers, body }
}

/** Reads the parameters that are filled in. An empty control is a parameter that is not sent. */
const readParameters = (form: HTMLFormElement, location: 'path' | 'query' | 'headers'): NameAndValue[] =>
  findControls(form)
    .filter(({ dataset }) => dataset['instancePath']?.startsWith(`/${location}/`))
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => [name, value])

/** @returns undefined if the operation takes no body, or if the body is empty */
const readBody = (form: HTMLFormElement): string | undefined => form.querySelector('textarea')?.value || undefined

/** Formats a request as a curl command for a POSIX shell. The shell reads the API key from a variable. */
export const formatCurl = ({ method, url, headers, body }: PanelRequest): string => {
  const methodOption = method === 'GET' ? '' : ` -X ${method}`
  const lines = [`curl -i${methodOption} ${quote(url)}`]
  for (const [name, value] of headers) {
    lines.push(
      name === 'Authorization' ? '-H "Authorization: Bearer $PET_API_KEY"' : `-H ${quote(`${name}: ${value}`)}`,
    )
  }
  if (body !== undefined) lines.push(`--data-raw ${quote(body)}`)
  return lines.join(' \\\n  ')
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Finds the first value that breaks the contract. The message is that of the service, because the same code checks the
 * request there.
 */
export const findProblem = (form: HTMLFormElement, contract: OperationContract): Problem | undefined => {
  try {
    readInput(contract, createEvent(form))
    return undefined
  } catch (error) {
    const { instancePath, message } = explainError(error, contract)
    return { control: findControl(form, instancePath), message }
  }
}

/** Finds the control of a value, or else the last control. The value `/body/name` belongs to the control `/body`. */
const findControl = (form: HTMLFormElement, instancePath: string): Control | undefined => {
  const controls = findControls(form)
  const isControlOfValue = ({ dataset }: Control): boolean => {
    const ownPath = dataset['instancePath']
    return ownPath !== undefined && instancePath.startsWith(ownPath)
  }
  return controls.find(isControlOfValue) ?? controls.at(-1)
}

const explainError = (error: unknown, contract: OperationContract): ValidationProblem => {
  if (error instanceof ServiceError) return explainServiceError(error, contract)
  return { instancePath: '/body', message: explainJsonError(error) }
}

const explainJsonError = (error: unknown): string => {
  if (error instanceof MemberNameError) return `The body ${error.message}.`
  if (error instanceof SyntaxError) return catalogue.malformed_json.message
  throw error
}

const explainServiceError = (error: ServiceError, contract: OperationContract): ValidationProblem => {
  const { instancePath = '', params = {} } = contract.validate.errors?.[0] ?? {}

  // For an invalid path parameter the service responds only that nothing was found. The page is more precise.
  if (instancePath === '/path') {
    const name = params['missingProperty']
    return { instancePath: `/path/${name}`, message: `${name} is required.` }
  }
  if (instancePath.startsWith('/path/')) {
    const name = instancePath.slice('/path/'.length)
    return { instancePath, message: `${name} must be ${contract.rules[instancePath]}.` }
  }
  return { instancePath, message: error.message }
}

/** Creates the event that API Gateway would pass to the function of the operation. */
const createEvent = (form: HTMLFormElement): GatewayEvent => {
  const pathParameters = readParameters(form, 'path').map(([name, value]) => [name, encodeURIComponent(value)])
  const body = readBody(form)
  const event = {
    pathParameters: Object.fromEntries(pathParameters),
    multiValueQueryStringParameters: readMultiValues(form, 'query'),
    multiValueHeaders: readMultiValues(form, 'headers'),
    body: body === undefined ? null : parseExactJson(body),
  }
  // The event has every property that readInput reads.
  return event as unknown as GatewayEvent
}

const readMultiValues = (form: HTMLFormElement, location: 'query' | 'headers'): Record<string, string[]> =>
  Object.fromEntries(readParameters(form, location).map(([name, value]) => [name, [value]]))
