import type { Contract } from './contract.ts'
import { generatedNotice } from './types-module.ts'

/**
 * The paths of the contract with their methods, for the responses to requests that name no operation. Sorted, so that
 * `/pets/count` comes before `/pets/{petId}`, as in API Gateway.
 */
export const routesModule = ({ operations }: Contract): string => {
  const paths = [...new Set(operations.map((operation) => operation.path))].toSorted()
  const routes = paths.map((path) => ({
    path,
    methods: operations.filter((operation) => operation.path === path).map((operation) => operation.method),
  }))
  const names = operations.map(({ name }) => `'${name}'`).toSorted()
  return `${generatedNotice}export const routes = ${JSON.stringify(routes, null, 2)} as const

/** The operations, by their folders in \`functions/\`. */
export type OperationName = ${names.join(' | ')}
`
}
