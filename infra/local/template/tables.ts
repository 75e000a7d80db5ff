import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import type { ResolvedResource } from './resolved-resources.ts'

/** CloudFormation's properties have the shape of CreateTable's parameters. */
type Definition = Pick<CreateTableCommandInput, 'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>

export interface Table extends Definition {
  readonly name: string
  /** The attribute with the time of expiry; undefined where items do not expire. */
  readonly timeToLive: string | undefined
}

export interface TableProperties extends Definition {
  readonly TimeToLiveSpecification?: { readonly Enabled: boolean; readonly AttributeName: string }
}

export const readTable = ({ name, properties }: ResolvedResource<TableProperties>): Table => {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, TimeToLiveSpecification } = properties
  const timeToLive = TimeToLiveSpecification?.Enabled ? TimeToLiveSpecification.AttributeName : undefined
  return { name, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, timeToLive }
}
