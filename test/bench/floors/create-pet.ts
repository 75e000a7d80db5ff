import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { createDocumentClient } from '../../../shared/dynamodb/document-client.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'

const client = createDocumentClient()

/** The call of create-pet without an Idempotency-Key, and nothing else. */
export const handler = async ({ body }: GatewayEvent) => {
  const pet = { id: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER), ...JSON.parse(body ?? '') }
  const Item = { ...pet, attemptId: 'bench' }
  const ConditionExpression = 'attribute_not_exists(id)'
  await client.send(new PutCommand({ TableName: process.env['PETS_TABLE'], Item, ConditionExpression }))
  return { statusCode: 201, body: JSON.stringify(pet) }
}
