import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Contract, type ContractOperation, readContract } from '../../infra/contract/contract.ts'

/** A response as a caller sees it. */
export interface SeenResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const contract = readContract()
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int32: true, int64: true } })

/**
 * What is wrong with a response by the contract: an empty list when nothing is. A request that names no
 * operation is judged by `x-unrouted-responses`.
 */
export const checkResponse = (method: string, path: string, response: SeenResponse): readonly string[] => {
  if (method === 'OPTIONS') return checkPreflight(response)
  const operation = findOperation(contract, method, path)
  const responses = operation === undefined ? contract.document['x-unrouted-responses'] : responsesOf(operation)
  const documented = contract.resolve(responses)[String(response.status)]
  const name = operation?.operationId ?? 'an unrouted request'
  if (documented === undefined) return [`${name} must not answer ${response.status}: ${response.text}`]
  const answer = contract.resolve(documented)
  return [...checkHeaders(answer['headers'], response), ...(method === 'HEAD' ? [] : checkBody(answer, response))].map(
    (fault) => `${name} ${response.status}: ${fault}`,
  )
}

const findOperation = ({ operations }: Contract, method: string, path: string): ContractOperation | undefined =>
  operations.find(
    (operation) =>
      operation.method === method && new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )

const responsesOf = ({ path, method }: ContractOperation): unknown => {
  const item = contract.resolve(contract.resolve(contract.document['paths'])[path])
  return contract.resolve(item[method.toLowerCase()])['responses']
}

const checkHeaders = (headers: unknown, response: SeenResponse): string[] =>
  Object.entries(contract.resolve(headers ?? {})).flatMap(([name, reference]) => {
    const header = contract.resolve(reference)
    const value = response.headers.get(name)
    if (value === null) return header['required'] === true ? [`it lacks the header ${name}`] : []
    const schema = contract.resolve(header['schema'])
    const read = schema['type'] === 'integer' && /^-?\d+$/.test(value) ? Number(value) : value
    return faults(schema, read, `the header ${name}: ${value}`)
  })

const checkBody = (answer: Readonly<Record<string, unknown>>, response: SeenResponse): string[] => {
  const type = response.headers.get('content-type')
  if (type !== 'application/json') return [`its Content-Type is ${type}`]
  const content = contract.resolve(contract.resolve(answer['content'])['application/json'])
  return faults(content['schema'], JSON.parse(response.text), `the body ${response.text.slice(0, 200)}`)
}

const checkPreflight = ({ status, headers, text }: SeenResponse): string[] => [
  ...(status === 204 ? [] : [`a preflight must be answered 204, not ${status}`]),
  ...(headers.get('access-control-allow-origin') === '*' ? [] : ['a preflight must allow any origin']),
  ...(text === '' ? [] : ['a preflight has no body']),
]

/** The schema with the components that its references name. */
const withReferences = (schema: unknown): object => ({
  ...contract.resolve({ ...Object(schema), $ref: undefined }),
  ...Object(schema),
  components: contract.document['components'],
})

/** Compiled once: a suite asks the same few schemas about all its answers. */
const validators = new Map<string, ValidateFunction>()

const faults = (schema: unknown, value: unknown, what: string): string[] => {
  const name = JSON.stringify(schema)
  const validate = validators.get(name) ?? ajv.compile(withReferences(schema))
  validators.set(name, validate)
  return validate(value) ? [] : [`${what} ${ajv.errorsText(validate.errors)}`]
}
