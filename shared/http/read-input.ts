import type { ErrorObject } from 'ajv'
import type { ErrorCode } from '../contract/generated/errors.ts'
import { ServiceError } from '../errors/service-error.ts'
import { parseInt64 } from '../int64.ts'
import type { GatewayEvent } from './gateway-event.ts'
import type { OperationContract, OperationInput, ParameterKind } from './operation-contract.ts'
import { readHeaderValues } from './request-headers.ts'
import { decodePath } from './request-path.ts'

/**
 * The input of an operation, read from the event and validated by the contract: nothing needs another check after this.
 * The body has been parsed before.
 *
 * @throws ServiceError that names what to change: `invalid_parameter`, `invalid_header`,
 * `invalid_body`, or `pet_not_found` for a path parameter that identifies nothing.
 */
export const readInput = <Contract extends OperationContract>(
  contract: Contract,
  event: GatewayEvent,
): OperationInput<Contract> => {
  const { path, query, headers } = contract.parameters
  const input = {
    path: readValues(path, 'pet_not_found', valuesOfPath(event)),
    query: readValues(query, 'invalid_parameter', Object.entries(event.multiValueQueryStringParameters ?? {})),
    headers: readValues(headers, 'invalid_header', valuesOfHeaders(event, Object.keys(headers))),
    ...(contract.takesBody ? { body: event.body ?? undefined } : {}),
  }
  if (!contract.validate(input)) throw invalidInput(contract, contract.validate.errors?.[0])
  // The validator and the type were generated from the same schemas.
  return input as unknown as OperationInput<Contract>
}

type Values = readonly (readonly [name: string, values: readonly string[] | undefined])[]

const valuesOfPath = ({ pathParameters }: GatewayEvent): Values =>
  Object.entries(pathParameters ?? {}).map(([name, value = '']) => [name, [decodePath(value)]])

/** Those of the operation. Others are none of its business. */
const valuesOfHeaders = ({ multiValueHeaders }: GatewayEvent, names: readonly string[]): Values =>
  names
    .map((name) => [name, readHeaderValues(multiValueHeaders, name)] as const)
    .filter(([, values]) => values.length > 0)

/** @throws ServiceError where a name has several values */
const readValues = (
  kinds: Readonly<Record<string, ParameterKind>>,
  code: ErrorCode,
  sent: Values,
): Record<string, unknown> => {
  const read = sent.map(([name, values = []]) => {
    const [value, ...others] = values
    if (value === undefined || others.length > 0) throw new ServiceError(code, { message: `Send ${name} once.` })
    return [name, readValue(value, kinds[name] ?? 'text')]
  })
  return Object.fromEntries(read)
}

/** Text that is not a number stays text, and the validator refuses it. */
const readValue = (value: string, kind: ParameterKind): unknown => {
  if (kind === 'text') return value
  const integer = parseInt64(value)
  if (integer === undefined) return value
  return kind === 'int64' ? integer : Number(integer)
}

const codes: Readonly<Record<string, ErrorCode>> = {
  path: 'pet_not_found',
  query: 'invalid_parameter',
  headers: 'invalid_header',
  body: 'invalid_body',
}

const invalidInput = (contract: OperationContract, error: ErrorObject | undefined): ServiceError => {
  const place = error?.instancePath.split('/')[1] ?? 'body'
  const code = codes[place] ?? 'bad_request'
  // The catalogue's message says that the pet was not found.
  return code === 'pet_not_found'
    ? new ServiceError(code)
    : new ServiceError(code, { message: sentence(contract, error) })
}

const sentence = (contract: OperationContract, error: ErrorObject | undefined): string => {
  const { instancePath = '', keyword, params = {} } = error ?? {}
  if (keyword === 'required' && instancePath === '') return 'A body is required. Send a JSON object.'
  if (keyword === 'required') return `${params['missingProperty']} is required.`
  if (keyword === 'additionalProperties')
    return unknownName(contract, instancePath, String(params['additionalProperty']))
  const name = instancePath === '/body' ? 'The body' : instancePath.split('/').slice(2).join('/')
  return `${name} must be ${contract.rules[instancePath] ?? 'valid'}.`
}

const unknownName = (contract: OperationContract, instancePath: string, name: string): string => {
  const cut = name.length > maximumNameLength ? `${name.slice(0, maximumNameLength)}...` : name
  // Strict JSON parsers refuse a response with half a surrogate pair, sent by the caller or left by the cut.
  const printable = cut.toWellFormed()
  if (instancePath === '/body')
    return `${printable} is not a field of the body. It has ${enumerate(contract.fields.body)}.`
  const { query } = contract.fields
  const takes = query.length === 0 ? 'It takes none.' : `It takes ${enumerate(query)}.`
  return `${printable} is not a query parameter of this operation. ${takes}`
}

const maximumNameLength = 64

const enumerate = (names: readonly string[]): string => names.join(', ').replace(/, (?=[^,]*$)/, ' and ')
