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
