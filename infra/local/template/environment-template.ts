import { UserError } from '../../command-line/user-error.ts'
import { type ResourceNames, readResourceNames } from '../../operations/target/resource-names.ts'
import { readAssembly, type Stack } from '../../synthesis/assembly.ts'
import { asObject, asText, type JsonObject } from '../../synthesis/json.ts'
import { type LambdaFunction, readFunction } from './functions.ts'
import { createResolve, type Resolve } from './intrinsic-functions.ts'
import { readRestApi } from './read-rest-api.ts'
import type { RestApi } from './rest-api.ts'
import { isTable, readTable, type Table } from './tables.ts'

/** All that the local environment takes from the synthesized templates. */
export interface EnvironmentTemplate {
  readonly tables: readonly Table[]
  /** By name: the functions that the REST API uses. */
  readonly functions: ReadonlyMap<string, LambdaFunction>
  readonly restApi: RestApi
  /** By stack and output name, as CloudFormation would give them after a deployment. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
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
    [...stack.resources.values()].filter(isTable).map(({ logicalId, properties }) => {
      const name = asText(resolve(stack, { Ref: logicalId }), logicalId)
      return readTable(name, asObject(resolve(stack, properties), logicalId))
    }),
  )
  if (tables.length === 0) throw new UserError('The template has no DynamoDB table.')
  return { tables, functions: readFunctions(stacks, resolve, restApi), restApi, outputs: readOutputs(stacks, resolve) }
}

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
  const functions = new Map<string, LambdaFunction>()
  for (const stack of stacks) {
    for (const { logicalId, type, properties } of stack.resources.values()) {
      if (type !== 'AWS::Lambda::Function') continue
      const name = asText(resolve(stack, { Ref: logicalId }), logicalId)
      if (used.has(name))
        functions.set(name, readFunction(name, stack, asObject(resolve(stack, properties), logicalId)))
    }
  }
  const missing = [...used].find((name) => !functions.has(name))
  if (missing !== undefined) throw new UserError(`The REST API uses the function ${missing}, which no stack has.`)
  return functions
}

const readOutputs = (stacks: readonly Stack[], resolve: Resolve): EnvironmentTemplate['outputs'] =>
  Object.fromEntries(
    stacks.map((stack) => [
      stack.name,
      Object.fromEntries(
        Object.entries(stack.outputs).map(([name, output]: [string, unknown]) => {
          const { Value }: JsonObject = asObject(output, name)
          return [name, resolve(stack, Value)]
        }),
      ),
    ]),
  )

/**
 * The names of the template's resources, from the outputs of its stacks, where operators find them after a deployment.
 *
 * @throws UserError that names a missing output
 */
export const namesIn = ({ outputs }: EnvironmentTemplate): ResourceNames => {
  const all: Readonly<Record<string, unknown>> = Object.assign({}, ...Object.values(outputs))
  return readResourceNames((name) => {
    const value = all[name]
    if (typeof value !== 'string') throw new UserError(`No stack has an output named ${name}.`)
    return value
  })
}
