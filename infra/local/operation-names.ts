import { listed, suggestNearest } from '../command-line/nearest.ts'
import { UserError } from '../command-line/user-error.ts'
import { readContract } from '../contract/contract.ts'
import type { EnvironmentTemplate } from './template/environment-template.ts'
import type { ApiMethod, RestApi } from './template/rest-api.ts'

/**
 * The folder in `functions/` of each function, by the function's name on AWS. The template has no folders. Its routes
 * are those of the contract, whose operations are named like the folders.
 */
export const operationNames = ({ restApi }: EnvironmentTemplate): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  const add = (method: ApiMethod | undefined, operation: string): void => {
    if (method?.integration.type === 'AWS_PROXY') names.set(method.integration.functionName, operation)
    if (method?.authorizer !== undefined) names.set(method.authorizer.functionName, 'authorizer')
  }
  add(findMethod(restApi, '/{proxy+}', 'ANY'), 'unknown-route')
  for (const { path, method, name } of readContract().operations) add(findMethod(restApi, path, method), name)
  return names
}

const findMethod = (api: RestApi, path: string, httpMethod: string): ApiMethod | undefined =>
  api.resources.find((resource) => resource.path === path)?.methods.get(httpMethod)

/** @returns the function's name on AWS. @throws UserError that names the nearest operation, where there is none of this name */
export const functionOf = (template: EnvironmentTemplate, operation: string): string => {
  const names = operationNames(template)
  const found = [...names].find(([, name]) => name === operation)
  if (found !== undefined) return found[0]
  const known = [...new Set(names.values())].toSorted()
  const suggestion = suggestNearest(operation, known) || `It must be ${listed(known)}.`
  throw new UserError(`There is no operation ${operation}. ${suggestion}`)
}
