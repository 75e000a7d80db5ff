import { fileURLToPath } from 'node:url'
import { BaseResolver, bundle, createConfig, lint } from '@redocly/openapi-core'
import { UserError } from '../command-line/user-error.ts'
import {
  type ContractContent,
  type ContractDocument,
  type ContractParameter,
  type JsonSchema,
  methods,
  type Operation,
  type Responses,
} from './openapi.ts'

/** An operation, as the stacks, the generated code and the reference need it. */
export interface ContractOperation {
  /** As in the contract, such as `listPets`. */
  readonly operationId: string
  /** The same name as a folder of `functions/`, such as `list-pets`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Those of the path too. */
  readonly parameters: readonly ContractParameter[]
  readonly body: (ContractContent & { readonly description?: string }) | undefined
  readonly responses: Responses
  readonly deprecation: ContractDeprecation | undefined
  /** Whether it has no successful response, and so reads no input. */
  readonly isReserved: boolean
  /** Whether the reference page sends requests to it. */
  readonly hasPanel: boolean
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

/** The stage of the API: the version of the contract, at the end of every base URL. */
export const stageName = 'v1'

export const contractFile = new URL('../../shared/contract/openapi.yaml', import.meta.url)

export interface Contract {
  readonly document: ContractDocument
  readonly operations: readonly ContractOperation[]
  /** To requests that name no operation. */
  readonly unroutedResponses: Responses
}

/**
 * Reads what can be served. What the linter finds beyond, such as a description that is missing, is for `lint.ts`.
 *
 * @throws UserError that names the file, when it is no OpenAPI document, or has what is not served
 */
export const loadContract = async (file: URL): Promise<Contract> => {
  const document = await readDocument(fileURLToPath(file))
  const routes = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((key): Route[] => {
      if (pathProperties.has(key)) return []
      const method = methods.find((known) => known === key)
      const operation = method && item[method]
      if (operation === undefined) throw mistake(`${key} ${path} is not served; only ${methods.join(', ')} are.`)
      return [{ path, method: key, operation, shared: item.parameters ?? [] }]
    }),
  )
  return {
    document,
    operations: routes.map((route) => readOperation(route, routes)),
    unroutedResponses: Object.fromEntries(
      Object.entries(document['x-unrouted-responses']).flatMap(([status, response]) =>
        typeof response === 'string' ? [] : [[status, response]],
      ),
    ),
  }
}

/** What a path may have beside its operations. */
const pathProperties: ReadonlySet<string> = new Set(['summary', 'description', 'parameters'])

interface Route {
  readonly path: string
  readonly method: string
  readonly operation: Operation
  /** The parameters of the path. */
  readonly shared: readonly ContractParameter[]
}

const readDocument = async (ref: string): Promise<ContractDocument> => {
  const config = await createConfig({ rules: { struct: 'error', 'no-unresolved-refs': 'error' } })
  const externalRefResolver = new BaseResolver(config.resolve)
  try {
    const [problem] = await lint({ ref, config, externalRefResolver })
    if (problem !== undefined) throw mistake(`${problem.message} (at ${problem.location[0]?.pointer})`)
    const { bundle: bundled } = await bundle({ ref, config, dereference: true, externalRefResolver })
    // Redocly has compared its structure with that of OpenAPI 3.1.
    return bundled.parsed as ContractDocument
  } catch (error) {
    if (error instanceof UserError) throw error
    throw mistake(`it is not valid YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const readOperation = (route: Route, routes: readonly Route[]): ContractOperation => {
  const { path, method, operation, shared } = route
  const place = `${method} ${path}`
  const { operationId, parameters: own = [], responses, security } = operation
  if (operationId === undefined) throw mistake(`${place} lacks an operationId.`)
  if (security !== undefined) throw mistake(`${place} has its own security. Every operation takes an API key.`)
  const others = shared.filter((one) => !own.some(({ name, in: where }) => name === one.name && where === one.in))
  return {
    operationId,
    name: kebabCase(operationId),
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? operationId,
    description: operation.description ?? '',
    parameters: [...others, ...own].map((parameter) => checkParameter(parameter, place)),
    body: readBody(operation, place),
    responses,
    deprecation: readDeprecation(operation, routes),
    isReserved: !Object.keys(responses).some((status) => status.startsWith('2')),
    hasPanel: operation['x-explorer-enabled'] !== false,
  }
}

/** `listPets` becomes `list-pets`. */
const kebabCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const checkParameter = (parameter: ContractParameter, place: string): ContractParameter => {
  const { name, in: where, schema }: { name: string; in: string; schema?: JsonSchema } = parameter
  if (!['query', 'path', 'header'].includes(where)) {
    throw mistake(`${name} of ${place} is in ${where}; only query, path and header are served.`)
  }
  if (schema === undefined) throw mistake(`${name} of ${place} lacks a schema.`)
  return parameter
}

const readBody = ({ requestBody }: Operation, place: string): ContractOperation['body'] => {
  if (requestBody === undefined) return undefined
  const { description, content } = requestBody
  if (Object.keys(content).join() !== 'application/json') {
    throw mistake(`the body of ${place} must have the one media type application/json.`)
  }
  return { ...content['application/json'], ...(description !== undefined && { description }) }
}

const readDeprecation = (operation: Operation, routes: readonly Route[]): ContractDeprecation | undefined => {
  if (operation['x-deprecation'] === undefined) return undefined
  const { since, sunset, advice, replacement } = operation['x-deprecation']
  const named = routes.find((route) => route.operation.operationId === replacement)
  if (named === undefined) throw mistake('x-deprecation must name the operationId of its replacement.')
  if (since === undefined || sunset === undefined || advice === undefined) {
    throw mistake('x-deprecation must have since, sunset and advice.')
  }
  return { since, sunset, replacement: named.path, advice }
}

const mistake = (problem: string): UserError => new UserError(`Correct shared/contract/openapi.yaml: ${problem}`)

// The constructors of CDK cannot wait for it.
const [loaded] = await Promise.allSettled([loadContract(contractFile)])

/** The contract of the service. @throws UserError as `loadContract` does */
export const readContract = (): Contract => {
  if (loaded.status === 'rejected') throw loaded.reason
  return loaded.value
}
