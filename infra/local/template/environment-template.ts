import { join } from 'node:path'
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { readResourceNames } from '../../operations/environment/local-environment-record.ts'
import { readRestApi } from './rest-api.ts'
import { readStacks, resolveStacks, type Stack } from './stacks.ts'

/** CloudFormation's properties have the shape of CreateTable's parameters. */
type TableDefinition = Pick<CreateTableCommandInput, 'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>

export interface Table extends TableDefinition {
  readonly name: string
}

export interface LambdaFunction {
  /** Its folder in `functions/`. */
  readonly name: string
  /** The folder of the deployable bundle. */
  readonly folder: string
  /** Such as `index.handler`: a file without its extension, and what it exports. */
  readonly handler: string
  readonly timeoutMilliseconds: number
  readonly memoryMegabytes: number
  readonly environment: Readonly<Record<string, string>>
}

/**
 * What the local environment uses of the synthesized templates.
 *
 * @param folder a cloud assembly that the CDK app has written
 * @throws UserError when the stage has something that cannot run locally
 */
export const readEnvironmentTemplate = (folder: string, stage: string) =>
  resolveEnvironmentTemplate(readStacks(folder, stage))

/** The same, of stacks that were read already. */
export const resolveEnvironmentTemplate = (stacks: readonly Stack[]) => {
  const { resourcesOf, outputOf } = resolveStacks(stacks)
  const tables = resourcesOf<TableDefinition>('DynamoDB::Table').map(({ name, properties }): Table => {
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = properties
    return { name, KeySchema, AttributeDefinitions, ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }) }
  })
  const functions = resourcesOf<FunctionProperties>('Lambda::Function')
    // The CDK has functions of its own.
    .filter(({ name, metadata }) => name === metadata['operation'])
    .map(({ name, stack, metadata, properties }): [name: string, LambdaFunction] => {
      const { Handler, Timeout, MemorySize, Environment } = properties
      const folder = join(stack.folder, String(metadata['aws:asset:path']))
      const limits = { timeoutMilliseconds: Timeout * 1_000, memoryMegabytes: MemorySize }
      return [name, { name, folder, handler: Handler, ...limits, environment: Environment?.Variables ?? {} }]
    })
  return {
    tables,
    /** By their folders in `functions/`. */
    functions: new Map(functions),
    restApi: readRestApi(resourcesOf),
    // As operators find them after a deployment.
    names: readResourceNames(outputOf),
  }
}

interface FunctionProperties {
  readonly Handler: string
  readonly Timeout: number
  readonly MemorySize: number
  readonly Environment?: { readonly Variables: Readonly<Record<string, string>> }
}
