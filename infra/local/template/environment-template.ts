import { join } from 'node:path'
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { readResourceNames } from '../../commands/environment/local-environment.ts'
import { readRestApi } from './rest-api.ts'
import { type FindResources, type JsonObject, readStacks, resolveStacks, type Stack } from './stacks.ts'

/** Properties of a table. CloudFormation's properties have the shape of CreateTable's parameters. */
type TableDefinition = Pick<CreateTableCommandInput, 'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>

export interface Table extends TableDefinition {
  readonly name: string
}

export interface LambdaFunction {
  /** Folder of the function in `functions/`, such as `list-pets`. */
  readonly name: string
  /** Folder of the deployable bundle. */
  readonly folder: string
  /** File with the source map of the bundle, which is not deployed. */
  readonly sourceMap: string | undefined
  /** A file without its extension and the name of an export, such as `index.handler`. */
  readonly handler: string
  readonly timeoutMilliseconds: number
  readonly memoryMegabytes: number
  /** Environment variables of the template. */
  readonly environment: Readonly<Record<string, string>>
}

interface FunctionProperties {
  readonly Handler: string
  readonly Timeout: number
  readonly MemorySize: number
  readonly Environment?: { readonly Variables: Readonly<Record<string, string>> }
}

/**
 * Reads the parts of the synthesized templates that the local environment runs.
 *
 * @param folder cloud assembly that the CDK app has written
 * @throws UserError when the stage has something that cannot run locally
 */
export const readEnvironmentTemplate = (folder: string, stage: string) =>
  resolveEnvironmentTemplate(readStacks(folder, stage))

/** Does the work of `readEnvironmentTemplate` on stacks that have been read already. */
export const resolveEnvironmentTemplate = (stacks: readonly Stack[]) => {
  const { findResources, findOutput } = resolveStacks(stacks)
  const functions = readFunctions(findResources)
  return {
    tables: readTables(findResources),
    /** Functions by name. */
    functions: new Map(functions.map((lambda) => [lambda.name, lambda])),
    restApi: readRestApi(findResources),
    // Commands that work on a deployed environment read the names from the outputs of its stacks too.
    names: readResourceNames(findOutput),
  }
}

const readTables = (findResources: FindResources): readonly Table[] =>
  findResources<TableDefinition>('DynamoDB::Table').map(({ name, properties }) => {
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = properties
    return { name, KeySchema, AttributeDefinitions, ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }) }
  })

/** Whether a function is one of `functions/`. The CDK adds functions of its own, without this metadata. */
const isServiceFunction = ({ metadata }: { readonly metadata: JsonObject }): boolean =>
  metadata['operation'] !== undefined

const readFunctions = (findResources: FindResources): readonly LambdaFunction[] =>
  findResources<FunctionProperties>('Lambda::Function')
    .filter(isServiceFunction)
    .map(({ name, stack, metadata, properties }) => ({
      name,
      folder: join(stack.folder, String(metadata['aws:asset:path'])),
      sourceMap: join(stack.folder, 'source-maps', `${name}.js.map`),
      handler: properties.Handler,
      timeoutMilliseconds: properties.Timeout * 1_000,
      memoryMegabytes: properties.MemorySize,
      environment: properties.Environment?.Variables ?? {},
    }))
