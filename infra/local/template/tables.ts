import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { asObject, asText, type JsonObject } from '../../synthesis/json.ts'

type Definition = Pick<CreateTableCommandInput, 'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>

export interface Table extends Definition {
  readonly name: string
  /** The attribute with the time of expiry; undefined where items do not expire. */
  readonly timeToLive: string | undefined
}

/** @param properties with the intrinsic functions resolved */
export const readTable = (name: string, properties: JsonObject): Table => {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = properties
  // CloudFormation's properties have the shape of CreateTable's parameters, which the engine validates.
  const definition = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } as Definition
  const { Enabled, AttributeName } = asObject(properties['TimeToLiveSpecification'] ?? {}, 'TimeToLiveSpecification')
  return {
    name,
    ...definition,
    timeToLive: Enabled === true ? asText(AttributeName, 'AttributeName') : undefined,
  }
}
