import { localStage } from '../../environments.ts'
import { readAssembly } from '../../synthesis/assembly.ts'
import { readEnvironmentTemplate } from './environment-template.ts'
import { createResolve } from './intrinsic-functions.ts'
import { unsupported } from './unsupported.ts'

/**
 * The template of the stack with the REST API, with three changes: the logical ids of the functions are the names of
 * their operations, their environment has the tables and the database of this machine (SAM leaves `Fn::ImportValue`
 * empty), and their architecture is this machine's.
 *
 * @param databaseEndpoint of the database, as a container reaches it
 */
export const samTemplate = (assembly: string, databaseEndpoint: string, architecture: NodeJS.Architecture): string => {
  const stacks = readAssembly(assembly, localStage)
  const stack = stacks.find(({ resources }) =>
    [...resources.values()].some(({ type }) => type === 'AWS::ApiGateway::RestApi'),
  )
  if (stack === undefined) throw unsupported('a template without a REST API')
  const { functions } = readEnvironmentTemplate(assembly, localStage)
  const resolve = createResolve(stacks)
  const resources: Record<string, object> = { ...stack.template.Resources }
  const names = new Map<string, string>()
  for (const { logicalId, type, properties } of stack.resources.values()) {
    const lambda = functions.get(String(resolve(stack, { Ref: logicalId })))
    if (type !== 'AWS::Lambda::Function' || lambda?.operation === undefined) continue
    names.set(logicalId, lambda.operation)
    const Architectures = [architecture === 'arm64' ? 'arm64' : 'x86_64']
    const Environment = { Variables: { ...lambda.environment, AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint } }
    resources[logicalId] = { ...resources[logicalId], Properties: { ...properties, Architectures, Environment } }
  }
  // Everything refers to a function by a text that is its logical id.
  return JSON.stringify({ ...stack.template, Resources: resources }, null, 2).replaceAll(
    /"(\w+)"/g,
    (text, logicalId: string) => (names.has(logicalId) ? `"${names.get(logicalId)}"` : text),
  )
}
