import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { documentClient } from '../../../shared/dynamodb/document-client.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'

const client = documentClient()

/** The call of get-pet, and nothing else. */
export const handler = async ({ pathParameters }: GatewayEvent) => {
  const Key = { id: Number(pathParameters?.['petId']) }
  const { Item } = await client.send(
    new GetCommand({ TableName: process.env['PETS_TABLE'], Key, ConsistentRead: true }),
  )
  return { statusCode: 200, body: JSON.stringify(Item) }
}
