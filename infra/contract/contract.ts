import { fileURLToPath } from 'node:url'
import { BaseResolver, bundle, lint, loadConfig } from '@redocly/openapi-core'
import { UserError } from '../command-line/user-error.ts'
import type { ContractContent, ContractDeprecation, ContractDocument, ContractParameter, Operation } from './openapi.ts'

/** An operation, as the stacks, the generated code and the reference need it. */
export interface ContractOperation extends Operation {
  /** The `operationId` as a folder of `functions/`, such as `list-pets`. */
  readonly name: string
  readonly method: string
  readonly path: string
  /** Those of the path too. */
  readonly parameters: readonly ContractParameter[]
  readonly body: (ContractContent & { readonly description: string }) | undefined
  readonly deprecation: ContractDeprecation | undefined
  /** Whether it has no successful response, and so reads no input. */
  readonly isReserved: boolean
  /** Whether the reference page sends requests to it. */
  readonly hasPanel: boolean
}

/** The stage of the API: the version of the contract, at the end of every base URL. */
export const stageName = 'v1'

export const contractFile = new URL('../../shared/contract/openapi.yaml', import.meta.url)

export type Contract = Awaited<ReturnType<typeof loadContract>>

/** @throws UserError that names the file, when it breaks a rule of `redocly.yaml` */
export const loadContract = async (file: URL) => {
  const document = await readDocument(fileURLToPath(file))
  const routes = Object.entries(document.paths).flatMap(
    ([path, { parameters = [], summary, description, ...methods }]) =>
      Object.entries(methods).map(([method, operation]): Route => {
        const { parameters: own = [] } = operation
        const others = parameters.filter(
          (one) => !own.some(({ name, in: place }) => name === one.name && place === one.in),
        )
        return { path, method, operation: { ...operation, parameters: [...others, ...own] } }
      }),
  )
  /** To requests that name no operation. */
  const { description, ...unroutedResponses } = document['x-unrouted-responses']
  return { document, operations: routes.map((route) => readOperation(route, routes)), unroutedResponses }
}

interface Route {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

const readDocument = async (ref: string): Promise<ContractDocument> => {
  const config = await loadConfig({ configPath: fileURLToPath(new URL('redocly.yaml', import.meta.url)) })
  const externalRefResolver = new BaseResolver(config.resolve)
  try {
    const problems = await lint({ ref, config, externalRefResolver })
    if (problems.length > 0) {
      const lines = problems.map(({ message, ruleId, location: [at] }) => `${at?.pointer}: ${message} (${ruleId})`)
      throw mistake(lines.join('\n'))
    }
    const { bundle: bundled } = await bundle({ ref, config, dereference: true, externalRefResolver })
    // Redocly has compared its structure with that of OpenAPI 3.1.
    return bundled.parsed as ContractDocument
  } catch (error) {
    if (error instanceof UserError) throw error
    throw mistake(`it is not valid YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const readOperation = ({ path, method, operation }: Route, routes: readonly Route[]): ContractOperation => {
  const { operationId, parameters = [], requestBody, responses } = operation
  return {
    ...{ ...operation, path, parameters },
    name: operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    method: method.toUpperCase(),
    body: requestBody && { description: requestBody.description, ...requestBody.content['application/json'] },
    deprecation: readDeprecation(operation, routes),
    isReserved: !Object.keys(responses).some((status) => status.startsWith('2')),
    hasPanel: operation['x-explorer-enabled'] !== false,
  }
}

const readDeprecation = (operation: Operation, routes: readonly Route[]): ContractDeprecation | undefined => {
  if (operation['x-deprecation'] === undefined) return undefined
  const { since, sunset, advice, replacement } = operation['x-deprecation']
  const named = routes.find((route) => route.operation.operationId === replacement)
  if (since !== undefined && sunset !== undefined && advice !== undefined && named !== undefined) {
    return { since, sunset, replacement: named.path, advice }
  }
  throw mistake('x-deprecation must have since, sunset, advice, and as replacement an operationId.')
}

const mistake = (problem: string): UserError => new UserError(`Correct shared/contract/openapi.yaml: ${problem}`)

// The constructors of CDK cannot wait for it.
const [loaded] = await Promise.allSettled([loadContract(contractFile)])

/** The contract of the service. @throws UserError as `loadContract` does */
export const readContract = (): Contract => {
  if (loaded.status === 'rejected') throw loaded.reason
  return loaded.value
}
