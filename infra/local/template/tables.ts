import { asList, asObject, asText, type JsonObject } from '../../synthesis/json.ts'

export interface TableKey {
  readonly partitionKey: string
  readonly sortKey: string | undefined
}

interface TableIndex extends TableKey {
  readonly name: string
  readonly projection: { readonly type: string; readonly attributes: readonly string[] }
}

export interface Table extends TableKey {
  readonly name: string
  readonly attributeTypes: Readonly<Record<string, string>>
  readonly indexes: readonly TableIndex[]
  readonly timeToLive: string | undefined
}

/** @param properties with the intrinsic functions resolved. */
export const readTable = (name: string, properties: JsonObject): Table => ({
  name,
  ...readKey(properties['KeySchema'], name),
  attributeTypes: Object.fromEntries(
    asList(properties['AttributeDefinitions'], 'AttributeDefinitions').map((definition) => {
      const { AttributeName, AttributeType } = asObject(definition, 'an attribute definition')
      return [asText(AttributeName, 'AttributeName'), asText(AttributeType, 'AttributeType')]
    }),
  ),
  indexes: asList(properties['GlobalSecondaryIndexes'], 'GlobalSecondaryIndexes').map(readIndex),
  timeToLive: readTimeToLive(properties['TimeToLiveSpecification']),
})

const readIndex = (index: unknown): TableIndex => {
  const { IndexName, KeySchema, Projection } = asObject(index, 'an index')
  const name = asText(IndexName, 'IndexName')
  const { ProjectionType, NonKeyAttributes } = asObject(Projection, `the projection of ${name}`)
  return {
    name,
    ...readKey(KeySchema, name),
    projection: {
      type: asText(ProjectionType, 'ProjectionType'),
      attributes: asList(NonKeyAttributes, 'NonKeyAttributes').map((attribute) =>
        asText(attribute, 'NonKeyAttributes'),
      ),
    },
  }
}

const readKey = (schema: unknown, owner: string): TableKey => {
  const attributes = new Map(
    asList(schema, `the key schema of ${owner}`).map((element) => {
      const { KeyType, AttributeName } = asObject(element, 'a key')
      return [KeyType, asText(AttributeName, 'AttributeName')]
    }),
  )
  return {
    partitionKey: asText(attributes.get('HASH'), `the partition key of ${owner}`),
    sortKey: attributes.get('RANGE'),
  }
}

const readTimeToLive = (specification: unknown): string | undefined => {
  if (specification === undefined) return undefined
  const { Enabled, AttributeName } = asObject(specification, 'TimeToLiveSpecification')
  return Enabled === true ? asText(AttributeName, 'AttributeName') : undefined
}
