import { UserError } from '../../command-line/user-error.ts'
import { type ResourceNames, readResourceNames } from '../../operations/target/resource-names.ts'
import { readAssembly, type Stack } from '../../synthesis/assembly.ts'
import { asObject, asText } from '../../synthesis/json.ts'
import { type LambdaFunction, readFunction } from './functions.ts'
import { createResolve, type Resolve } from './intrinsic-functions.ts'
import { readRestApi } from './read-rest-api.ts'
import type { RestApi } from './rest-api.ts'
import { readTable, type Table } from './tables.ts'

/** What the local environment uses of the synthesized templates. */
export interface EnvironmentTemplate {
  readonly tables: readonly Table[]
  /** By name: the functions that the REST API uses. */
  readonly functions: ReadonlyMap<string, LambdaFunction>
  readonly restApi: RestApi
  /** By name: the outputs of all stacks, as CloudFormation would give them after a deployment. */
  readonly outputs: ReadonlyMap<string, unknown>
}

/**
 * @param folder a cloud assembly that the CDK app has written.
 * @throws UserError when the stage is missing, or has something that cannot run locally.
 */
export const readEnvironmentTemplate = (folder: string, stage: string): EnvironmentTemplate => {
  const stacks = readAssembly(folder, stage)
  const resolve = createResolve(stacks)
  const restApi = readRestApi(stacks, resolve)
  const tables = stacks.flatMap((stack) =>
    ofType(stack, 'AWS::DynamoDB::Table', resolve).map(({ name, properties }) => readTable(name, properties)),
  )
  if (tables.length === 0) throw new UserError('The template has no DynamoDB table.')
  return { tables, functions: readFunctions(stacks, resolve, restApi), restApi, outputs: readOutputs(stacks, resolve) }
}

/** The resources of one type, by their physical names. */
const ofType = (stack: Stack, type: string, resolve: Resolve) =>
  [...stack.resources.values()]
    .filter((resource) => resource.type === type)
    .map(({ logicalId, properties }) => ({
      name: asText(resolve(stack, { Ref: logicalId }), logicalId),
      properties: asObject(resolve(stack, properties), logicalId),
    }))

const readFunctions = (
  stacks: readonly Stack[],
  resolve: Resolve,
  restApi: RestApi,
): ReadonlyMap<string, LambdaFunction> => {
  const used = new Set(
    restApi.resources.flatMap(({ methods }) =>
      [...methods.values()].flatMap(({ authorizer, integration }) => [
        ...(authorizer === undefined ? [] : [authorizer.functionName]),
        ...(integration.type === 'AWS_PROXY' ? [integration.functionName] : []),
      ]),
    ),
  )
  const functions = new Map(
    stacks.flatMap((stack) =>
      ofType(stack, 'AWS::Lambda::Function', resolve)
        .filter(({ name }) => used.has(name))
        .map(({ name, properties }) => [name, readFunction(name, stack, properties)] as const),
    ),
  )
  const missing = [...used].find((name) => !functions.has(name))
  if (missing !== undefined) throw new UserError(`The REST API uses the function ${missing}, which no stack has.`)
  return functions
}

const readOutputs = (stacks: readonly Stack[], resolve: Resolve): EnvironmentTemplate['outputs'] =>
  new Map(
    stacks.flatMap((stack) =>
      Object.entries(stack.outputs).map(
        ([name, output]) => [name, resolve(stack, asObject(output, name)['Value'])] as const,
      ),
    ),
  )

/**
 * The names of the template's resources, from the outputs of its stacks, where operators find them after a deployment.
 *
 * @throws UserError that names a missing output
 */
export const namesIn = ({ outputs }: EnvironmentTemplate): ResourceNames =>
  readResourceNames((name) => {
    const value = outputs.get(name)
    if (typeof value !== 'string') throw new UserError(`No stack has an output named ${name}.`)
    return value
  })
