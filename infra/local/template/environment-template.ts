import { UserError } from '../../command-line/user-error.ts'
import { type ResourceNames, readResourceNames } from '../../operations/target/resource-names.ts'
import { readAssembly } from '../../synthesis/assembly.ts'
import { type FunctionProperties, type LambdaFunction, readFunction } from './functions.ts'
import { createResolve } from './intrinsic-functions.ts'
import { readRestApi } from './read-rest-api.ts'
import { createResourcesOf } from './resolved-resources.ts'
import type { RestApi } from './rest-api.ts'
import { readTable, type Table, type TableProperties } from './tables.ts'

/** What the local environment uses of the synthesized templates. */
export interface EnvironmentTemplate {
  readonly tables: readonly Table[]
  /** By name: those of the REST API, and CDK's own. */
  readonly functions: ReadonlyMap<string, LambdaFunction>
  readonly restApi: RestApi
  /** By name: the outputs of all stacks, as CloudFormation would give them after a deployment. */
  readonly outputs: ReadonlyMap<string, unknown>
}

/**
 * @param folder a cloud assembly that the CDK app has written.
 * @throws UserError when the stage has something that cannot run locally.
 */
export const readEnvironmentTemplate = (folder: string, stage: string): EnvironmentTemplate => {
  const stacks = readAssembly(folder, stage)
  const resolve = createResolve(stacks)
  const resourcesOf = createResourcesOf(stacks, resolve)
  const functions = resourcesOf<FunctionProperties>('Lambda::Function').map(readFunction)
  const outputs = stacks.flatMap((stack) =>
    Object.entries(stack.template.Outputs ?? {}).map(([name, { Value }]) => [name, resolve(stack, Value)] as const),
  )
  return {
    tables: resourcesOf<TableProperties>('DynamoDB::Table').map(readTable),
    functions: new Map(functions.map((lambda) => [lambda.name, lambda])),
    restApi: readRestApi(resourcesOf),
    outputs: new Map(outputs),
  }
}

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
