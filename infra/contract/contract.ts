import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleFromString, lintFromString, loadConfig } from '@redocly/openapi-core'
import { UserError } from '../command-line/user-error.ts'
import { checkRoutes, type Route } from './check-routes.ts'
import {
  type ContractContent,
  type ContractDeprecation,
  type ContractDocument,
  type ContractParameter,
  createContractError,
  type Operation,
  servedMethods,
} from './openapi.ts'
import { type OperationInput, readOperationInput } from './operation-input.ts'

/** An operation in the form that the stacks, the generated code and the reference need. */
export interface ContractOperation extends Operation {
  /** The `operationId` as a folder of `functions/`, such as `list-pets`. */
  readonly name: string
  /** HTTP method in capitals, such as `GET`. */
  readonly method: string
  readonly path: string
  readonly parameters: readonly ContractParameter[]
  readonly body: (ContractContent & { readonly description: string }) | undefined
  /** Parameters and fields of the body, as the service reads them. */
  readonly input: OperationInput
  readonly deprecation: ContractDeprecation | undefined
  /** Whether the operation has no successful response, and so reads no input. */
  readonly isReserved: boolean
  /** Whether the reference page sends requests to the operation. */
  readonly hasPanel: boolean
}

/** The stage of the API: the version of the contract, at the end of every base URL. */
export const stageName = 'v1'

export const contractFile = new URL('../../shared/contract/openapi.yaml', import.meta.url)

export type Contract = Awaited<ReturnType<typeof loadContract>>

/**
 * Reads a contract from a file. Its `unroutedResponses` are the responses to requests that name no operation.
 *
 * @throws UserError that names the file and the place, if the contract breaks a rule of `redocly.yaml` or has something
 * that the service cannot serve
 */
export const loadContract = async (file: URL) => {
  const document = await readDocument(readFileSync(file, 'utf8'))
  const routes = listRoutes(document)
  checkRoutes(routes)
  const operations = routes.map((route) => readOperation(route, routes))
  const { description, ...unroutedResponses } = document['x-unrouted-responses']
  return { document, operations, unroutedResponses }
}

/** Path by which Redocly names the contract. The real path may contain a `#`, at which Redocly splits references. */
const absoluteRef = '/openapi.yaml'

const readDocument = async (text: string): Promise<ContractDocument> => {
  const config = await loadConfig({ configPath: fileURLToPath(new URL('redocly.yaml', import.meta.url)) })
  try {
    const problems = await lintFromString({ source: text, absoluteRef, config })
    if (problems.length > 0) {
      const lines = problems.map(
        ({ message, ruleId, location: [location] }) => `${location?.pointer}: ${message} (${ruleId})`,
      )
      throw createContractError(lines.join('\n'))
    }
    const { bundle: bundled } = await bundleFromString({ source: text, absoluteRef, config, dereference: true })
    // The linter has compared the structure of the document with that of OpenAPI 3.1.
    return bundled.parsed as ContractDocument
  } catch (error) {
    if (error instanceof UserError) throw error
    throw createContractError(`it is not valid YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const listRoutes = ({ paths }: ContractDocument): readonly Route[] =>
  Object.entries(paths).flatMap(([path, pathItem]) =>
    servedMethods.flatMap((method) => {
      const operation = pathItem[method]
      return operation === undefined ? [] : [{ path, method: method.toUpperCase(), operation }]
    }),
  )

const readOperation = (route: Route, routes: readonly Route[]): ContractOperation => {
  const { path, method, operation } = route
  const { operationId, parameters = [], requestBody, responses } = operation
  const successStatuses = Object.keys(responses).filter((status) => status.startsWith('2'))
  return {
    ...operation,
    path,
    parameters,
    name: operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    method,
    body: requestBody && { description: requestBody.description, ...requestBody.content['application/json'] },
    input: readOperationInput(parameters, requestBody, `${method} ${path}`),
    deprecation: readDeprecation(route, routes),
    isReserved: successStatuses.length === 0,
    hasPanel: operation['x-explorer-enabled'] !== false,
  }
}

/** Reads the deprecation of an operation, with the path of the operation to use instead. */
const readDeprecation = (
  { path, method, operation }: Route,
  routes: readonly Route[],
): ContractDeprecation | undefined => {
  if (operation['x-deprecation'] === undefined) return undefined

  const { since, sunset, advice, replacement } = operation['x-deprecation']
  const place = `${method} ${path}, x-deprecation`
  if (!isDate(since) || !isDate(sunset) || advice === undefined) {
    throw createContractError(`${place}: it must have advice, and since and sunset as dates, such as "2030-12-05".`)
  }
  const replacementRoute = routes.find((route) => route.operation.operationId === replacement)
  // The path stands in a link, where nothing could replace a parameter.
  if (replacementRoute === undefined || replacementRoute.path.includes('{')) {
    throw createContractError(`${place}: replacement must be the operationId of a path without parameters.`)
  }
  return { since, sunset, replacement: replacementRoute.path, advice }
}

const isDate = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

// The contract is loaded here, because the constructors of CDK cannot wait for a promise.
const [loadResult] = await Promise.allSettled([loadContract(contractFile)])

/**
 * Returns the contract of the service.
 *
 * @throws UserError as `loadContract` does
 */
export const readContract = (): Contract => {
  if (loadResult.status === 'rejected') throw loadResult.reason
  return loadResult.value
}
