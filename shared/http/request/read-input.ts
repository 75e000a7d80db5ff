import type { ErrorObject } from 'ajv'
import type { ErrorCode } from '../../contract/generated/errors.ts'
import { parseInt64 } from '../../int64.ts'
import { ServiceError } from '../../service-error.ts'
import type { GatewayEvent } from '../gateway-event.ts'
import type { OperationContract, OperationInput, ValueKind } from '../operation-contract.ts'
import { readHeaderValues } from './request-headers.ts'
import { decodePath } from './request-path.ts'

/** Error code for an invalid value, by the part of the request that contains the value. */
const errorCodes: Readonly<Record<string, ErrorCode>> = {
  // An invalid path parameter identifies no pet.
  path: 'pet_not_found',
  query: 'invalid_parameter',
  headers: 'invalid_header',
  body: 'invalid_body',
}

/** Number of characters of a name that an error message repeats. The rest of a longer name is cut off. */
const maximumNameLength = 64

/**
 * Reads the input of an operation from an event, and validates it against the contract. `readExactIntegers` has put the
 * parsed body into the event.
 *
 * @throws ServiceError whose message names what to change: `invalid_parameter`, `invalid_header` or `invalid_body`;
 * for a path parameter that identifies nothing `pet_not_found`
 */
export const readInput = <Contract extends OperationContract>(
  contract: Contract,
  event: GatewayEvent,
): OperationInput<Contract> => {
  const { kinds, defaults } = contract
  const input: Record<string, unknown> = {
    path: readParameters(kinds.path, 'pet_not_found', listPathParameters(event)),
    query: { ...defaults.query, ...readParameters(kinds.query, 'invalid_parameter', listQueryParameters(event)) },
    headers: { ...defaults.headers, ...readParameters(kinds.headers, 'invalid_header', listHeaders(contract, event)) },
  }
  if (contract.takesBody) input['body'] = event.body ?? undefined
  if (!contract.validate(input)) throw createInvalidInputError(contract, contract.validate.errors?.[0])
  // The compiler cannot know that `validate` and OperationInput were generated from the same schemas.
  return input as unknown as OperationInput<Contract>
}

/** Parameters of an event with all their values, as text. */
type ParameterTexts = readonly (readonly [name: string, values: readonly string[] | undefined])[]

const listPathParameters = ({ pathParameters }: GatewayEvent): ParameterTexts =>
  Object.entries(pathParameters ?? {}).map(([name, value = '']) => [name, [decodePath(value)]])

const listQueryParameters = ({ multiValueQueryStringParameters }: GatewayEvent): ParameterTexts =>
  Object.entries(multiValueQueryStringParameters ?? {})

/** Lists the headers that the operation declares; others are ignored. */
const listHeaders = ({ kinds }: OperationContract, { multiValueHeaders }: GatewayEvent): ParameterTexts =>
  Object.keys(kinds.headers)
    .map((name) => [name, readHeaderValues(multiValueHeaders, name)] as const)
    .filter(([, values]) => values.length > 0)

/**
 * Reads the values of parameters. A parameter that the operation does not have stays text, whatever its values: the
 * validator refuses its name.
 *
 * @throws ServiceError if a parameter of the operation has several values
 */
const readParameters = (
  kinds: Readonly<Record<string, ValueKind>>,
  code: ErrorCode,
  texts: ParameterTexts,
): Record<string, unknown> => {
  const parameters = texts.map(([name, values = []]) => {
    const isSentOnce = values.length === 1
    if (!isSentOnce && Object.hasOwn(kinds, name)) throw new ServiceError(code, { message: `Send ${name} once.` })
    return [name, readValue(values[0] ?? '', kinds[name] ?? 'text')]
  })
  return Object.fromEntries(parameters)
}

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/**
 * Reads a value of a kind from text: a parameter of a request, or a cell of a file. A text that is not a value of the
 * kind is returned as it is, and the validator refuses it.
 *
 * @example readValue('5', 'integer') // 5n
 */
export const readValue = (text: string, kind: ValueKind): unknown => {
  switch (kind) {
    case 'integer':
      return parseInt64(text) ?? text
    case 'boolean':
      return booleans.get(text) ?? text
    case 'text':
      return text
  }
}

const createInvalidInputError = (contract: OperationContract, error: ErrorObject | undefined): ServiceError => {
  // ajv reports a missing body at the path of the whole request, which is empty.
  const requestPart = error?.instancePath.split('/')[1] ?? 'body'
  // Each part has a code. `bad_request` is for the types, which do not know that.
  const code = errorCodes[requestPart] ?? 'bad_request'
  // The catalogue's own message says that the pet was not found.
  if (code === 'pet_not_found') return new ServiceError(code)
  return new ServiceError(code, { message: describeInvalidInput(contract, error) })
}

/** Describes the first error that ajv found, as a sentence that says what to change. */
const describeInvalidInput = (contract: OperationContract, error: ErrorObject | undefined): string => {
  const { instancePath = '', keyword, params = {} } = error ?? {}
  if (keyword === 'required' && instancePath === '') return `A body is required. Send ${contract.rules['/body']}.`
  if (keyword === 'required') return `${params['missingProperty']} is required.`
  if (keyword === 'additionalProperties') {
    return describeUnknownName(contract, instancePath, String(params['additionalProperty']))
  }
  // For example, /query/limit is the path of limit.
  const name = instancePath === '/body' ? 'The body' : instancePath.split('/').slice(2).join('/')
  if (keyword === 'wellFormed') return `${name} has half of a surrogate pair. Send well-formed Unicode.`
  return `${name} must be ${contract.rules[instancePath] ?? 'valid'}.`
}

const describeUnknownName = (contract: OperationContract, instancePath: string, name: string): string => {
  const shortName = name.length > maximumNameLength ? `${name.slice(0, maximumNameLength)}...` : name
  // Strict JSON parsers refuse a response with half a surrogate pair. The caller may have sent one, or the cut made
  // one.
  const printableName = shortName.toWellFormed()
  if (instancePath === '/body') {
    return `${printableName} is not a field of the body. It has ${formatList(Object.keys(contract.kinds.body))}.`
  }

  const names = Object.keys(contract.kinds.query)
  const hint = names.length === 0 ? 'It takes none.' : `It takes ${formatList(names)}.`
  return `${printableName} is not a query parameter of this operation. ${hint}`
}

/** @example formatList(['limit', 'status', 'cursor']) // 'limit, status and cursor' */
const formatList = (names: readonly string[]): string => names.join(', ').replace(/, (?=[^,]*$)/, ' and ')
