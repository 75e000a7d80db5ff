import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import { type ResourceNames, readResourceNames } from '../../operations/target/resource-names.ts'
import { readAssembly, type Stack } from '../../synthesis/assembly.ts'
import { createResolve, createResourcesOf, type ResolvedResource } from './intrinsic-functions.ts'
import { type RestApi, readRestApi } from './rest-api.ts'
import { unsupported } from './unsupported.ts'

/** What the local environment uses of the synthesized templates. */
export interface EnvironmentTemplate {
  readonly tables: readonly Table[]
  /** By name: those of the REST API, and CDK's own. */
  readonly functions: ReadonlyMap<string, LambdaFunction>
  readonly restApi: RestApi
  readonly names: ResourceNames
}

/** CloudFormation's properties have the shape of CreateTable's parameters. */
type TableDefinition = Pick<CreateTableCommandInput, 'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>

export interface Table extends TableDefinition {
  readonly name: string
}

export interface LambdaFunction {
  readonly name: string
  /** Its folder in `functions/`, from the metadata of the template; undefined for a function of CDK's own. */
  readonly operation: string | undefined
  /** The folder of the deployable bundle. */
  readonly folder: string
  /** Such as `index.handler`: a file without its extension, and what it exports. */
  readonly handler: string
  readonly timeoutMilliseconds: number
  readonly memoryMegabytes: number
  readonly environment: Readonly<Record<string, string>>
}

/**
 * @param folder a cloud assembly that the CDK app has written.
 * @throws UserError when the stage has something that cannot run locally.
 */
export const readEnvironmentTemplate = (folder: string, stage: string): EnvironmentTemplate =>
  readStacks(readAssembly(folder, stage))

/** The same, of stacks that were read already. */
export const readStacks = (stacks: readonly Stack[]): EnvironmentTemplate => {
  const resolve = createResolve(stacks)
  const resourcesOf = createResourcesOf(stacks, resolve)
  const functions = resourcesOf<FunctionProperties>('Lambda::Function').map(readFunction)
  const outputs = new Map(
    stacks.flatMap((stack) =>
      Object.entries(stack.template.Outputs ?? {}).map(([name, { Value }]) => [name, resolve(stack, Value)] as const),
    ),
  )
  return {
    tables: resourcesOf<TableDefinition>('DynamoDB::Table').map(readTable),
    functions: new Map(functions.map((lambda) => [lambda.name, lambda])),
    restApi: readRestApi(resourcesOf),
    // As operators find them after a deployment.
    names: readResourceNames((name) => {
      const value = outputs.get(name)
      if (typeof value !== 'string') throw new UserError(`No stack has an output named ${name}.`)
      return value
    }),
  }
}

const readTable = ({ name, properties }: ResolvedResource<TableDefinition>): Table => {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = properties
  return { name, KeySchema, AttributeDefinitions, ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }) }
}

interface FunctionProperties {
  readonly Code: { readonly S3Key?: string }
  readonly Handler: string
  readonly Timeout?: number
  readonly MemorySize?: number
  readonly Environment?: { readonly Variables: Readonly<Record<string, string>> }
}

const readFunction = ({ name, stack, metadata, properties }: ResolvedResource<FunctionProperties>): LambdaFunction => {
  // Lambda's own defaults, for a function whose template leaves them out.
  const { Code, Handler, Timeout = 3, MemorySize = 128, Environment } = properties
  const folder = stack.assetFolders.get(Code.S3Key ?? '')
  if (folder === undefined) throw unsupported(`the function ${name}, which has no bundle in the cloud assembly`)
  const operation = metadata['operation']
  return {
    name,
    operation: typeof operation === 'string' ? operation : undefined,
    folder,
    handler: Handler,
    timeoutMilliseconds: Timeout * 1_000,
    memoryMegabytes: MemorySize,
    environment: Environment?.Variables ?? {},
  }
}
