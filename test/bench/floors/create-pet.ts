import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { createDocumentClient } from '../../../shared/dynamodb/document-client.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'

const client = createDocumentClient()

/** Makes the call of create-pet for a request without an Idempotency-Key, and does nothing else. */
export const handler = async ({ body }: GatewayEvent) => {
  const pet = { id: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER), ...JSON.parse(body ?? '') }
  const command = new PutCommand({
    TableName: process.env['PETS_TABLE'],
    // create-pet stores the id of its attempt with the pet.
    Item: { ...pet, attemptId: 'bench' },
    ConditionExpression: 'attribute_not_exists(id)',
  })
  await client.send(command)
  return { statusCode: 201, body: JSON.stringify(pet) }
}
