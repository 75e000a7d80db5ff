import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { UserError } from '../command-line/user-error.ts'

/** API Gateway responds to OPTIONS itself, and has no TRACE. */
const methods = ['get', 'put', 'post', 'delete', 'patch', 'head'] as const

/** The parts of an operation that the stacks and the generated code need. */
export interface ContractOperation {
  /** As in the contract, such as `listPets`. */
  readonly operationId: string
  /** The same name as a folder of `functions/`, such as `list-pets`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly ContractParameter[]
  readonly body: JsonSchema | undefined
  readonly deprecation: ContractDeprecation | undefined
  /** Whether it has no successful response, and so reads no input. */
  readonly isReserved: boolean
}

export interface ContractParameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required: boolean
  readonly schema: JsonSchema
}

export interface ContractDeprecation {
  /** A UTC date, `YYYY-MM-DD`. */
  readonly since: string
  /** The UTC date from which on the operation is removed. */
  readonly sunset: string
  /** The path of the operation to use instead. */
  readonly replacement: string
  /** A sentence that says what to do instead. */
  readonly advice: string
}

export type JsonSchema = { readonly [keyword: string]: unknown }

type Node = { readonly [key: string]: unknown }

/** The stage of the API: the version of the contract, at the end of every base URL. */
export const stageName = 'v1'

export const contractFile = new URL('../../shared/contract/openapi.yaml', import.meta.url)

export interface Contract {
  /** The whole document, as written. */
  readonly document: Node
  readonly operations: readonly ContractOperation[]
  /** Follows a `$ref` of this document; returns anything else unchanged. */
  readonly resolve: (node: unknown) => Node
}

/**
 * What linters find, such as a path that exists twice, is for `lint.ts`.
 *
 * @throws UserError that names the file, when a part that the service needs is missing or malformed
 */
export const readContract = (file: URL = contractFile): Contract => {
  const document = asNode(readYaml(file), 'the contract')
  const resolve = (node: unknown): Node => {
    const found = asNode(node, 'a part of the contract')
    const reference = found['$ref']
    return typeof reference === 'string' ? resolve(follow(document, reference)) : found
  }
  const paths = asNode(document['paths'], 'paths')
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = asNode(item, path)[method]
      return operation === undefined ? [] : [{ path, method, operation: asNode(operation, `${method} ${path}`) }]
    }),
  )
  const operations = routes.map(({ path, method, operation }): ContractOperation => {
    const operationId = asText(operation['operationId'], `the operationId of ${method} ${path}`)
    return {
      operationId,
      name: kebabCase(operationId),
      method: method.toUpperCase(),
      path,
      parameters: asList(operation['parameters']).map((parameter) => readParameter(resolve(parameter), resolve)),
      body: readBody(operation, resolve),
      deprecation: readDeprecation(operation, routes),
      isReserved: !Object.keys(asNode(operation['responses'], 'responses')).some((status) => status.startsWith('2')),
    }
  })
  return { document, operations, resolve }
}

const readYaml = (file: URL): unknown => {
  try {
    return parse(readFileSync(file, 'utf8'), { merge: true })
  } catch (error) {
    const [problem] = error instanceof Error ? error.message.split('\n') : []
    throw mistake(`it is not valid YAML: ${problem}`)
  }
}

/** `listPets` becomes `list-pets`. */
const kebabCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const readParameter = (parameter: Node, resolve: Contract['resolve']): ContractParameter => {
  const where = parameter['in']
  if (where !== 'query' && where !== 'path' && where !== 'header') {
    throw mistake(`a parameter is in ${String(where)}; only query, path and header are served.`)
  }
  return {
    name: asText(parameter['name'], 'the name of a parameter'),
    in: where,
    required: parameter['required'] === true,
    schema: resolve(parameter['schema']),
  }
}

const readBody = (operation: Node, resolve: Contract['resolve']): JsonSchema | undefined => {
  if (operation['requestBody'] === undefined) return undefined
  const content = asNode(resolve(operation['requestBody'])['content'], 'the content of a request body')
  return asNode(asNode(content['application/json'], 'application/json')['schema'], 'the schema of a request body')
}

const readDeprecation = (
  operation: Node,
  routes: readonly { path: string; method: string; operation: Node }[],
): ContractDeprecation | undefined => {
  if (operation['x-deprecation'] === undefined) return undefined
  const deprecation = asNode(operation['x-deprecation'], 'x-deprecation')
  const replacement = routes.find((route) => route.operation['operationId'] === deprecation['replacement'])
  if (replacement === undefined) throw mistake('x-deprecation must name the operationId of its replacement.')
  return {
    since: asText(deprecation['since'], 'x-deprecation.since'),
    sunset: asText(deprecation['sunset'], 'x-deprecation.sunset'),
    replacement: replacement.path,
    advice: asText(deprecation['advice'], 'x-deprecation.advice'),
  }
}

const follow = (document: Node, reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, key) => asNode(node, reference)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)

const asNode = (value: unknown, what: string): Node => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw mistake(`${what} must be an object.`)
  }
  return Object.fromEntries(Object.entries(value))
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const asText = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw mistake(`it lacks ${what}.`)
  return value
}

const mistake = (problem: string): UserError => new UserError(`Correct shared/contract/openapi.yaml: ${problem}`)
