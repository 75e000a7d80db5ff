import { arch } from 'node:process'
import { type LambdaFunction, resolveEnvironmentTemplate } from './template/environment-template.ts'
import { createUnsupportedError, isObject, type JsonObject, type Stack } from './template/stacks.ts'

type Resources = Stack['template']['Resources']

/**
 * Creates the template for the SAM CLI from the template of the stack with the API. Three things differ:
 *
 * - The logical id of a function is its name, such as `get-pet`.
 * - The variables of a function have the values of the local environment, because SAM leaves `Fn::ImportValue` empty.
 * - The architecture of a function is that of this machine.
 *
 * @param databaseEndpoint endpoint of the database that a container can reach
 */
export const createSamTemplate = (stacks: readonly Stack[], databaseEndpoint: string): JsonObject => {
  const { functions } = resolveEnvironmentTemplate(stacks)
  const template = stacks.map((stack) => stack.template).find(hasRestApi)
  if (template === undefined) throw createUnsupportedError('a stage without a REST API')

  const namesByLogicalId = new Map<string, string>()
  const resources: Record<string, unknown> = {}
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    const lambda = functions.get(String(resource.Metadata?.['operation']))
    if (lambda === undefined) {
      resources[logicalId] = resource
      continue
    }
    resources[logicalId] = adaptFunction(resource, lambda, databaseEndpoint)
    namesByLogicalId.set(logicalId, lambda.name)
  }
  return renameLogicalIds({ ...template, Resources: resources }, namesByLogicalId)
}

const hasRestApi = ({ Resources }: Stack['template']): boolean =>
  Object.values(Resources).some(({ Type }) => Type === 'AWS::ApiGateway::RestApi')

const adaptFunction = (resource: Resources[string], lambda: LambdaFunction, databaseEndpoint: string): object => ({
  ...resource,
  Properties: {
    ...resource.Properties,
    Architectures: [arch === 'arm64' ? 'arm64' : 'x86_64'],
    Environment: { Variables: { ...lambda.environment, AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint } },
  },
})

/** Replaces logical ids by names, in keys of objects and in texts that consist of a logical id, such as `Ref`'s. */
const renameLogicalIds = (object: JsonObject, names: ReadonlyMap<string, string>): JsonObject => {
  const rename = (value: unknown): unknown => {
    if (typeof value === 'string') return names.get(value) ?? value
    if (Array.isArray(value)) return value.map(rename)
    return isObject(value) ? renameLogicalIds(value, names) : value
  }
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [names.get(key) ?? key, rename(value)]))
}
