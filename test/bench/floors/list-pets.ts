import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { createDocumentClient } from '../../../shared/dynamodb/document-client.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'

const client = createDocumentClient()

const queryNewest = (status: string) => {
  const command = new QueryCommand({
    TableName: process.env['PETS_TABLE'],
    IndexName: 'status-index',
    KeyConditionExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status },
    ScanIndexForward: false,
    // One more than the page has, as in list-pets: it shows whether there is another page.
    Limit: 21,
  })
  return client.send(command)
}

/** Makes the calls of list-pets for a first page of 20, and does nothing else. It does not merge the pets by id. */
export const handler = async ({ queryStringParameters }: GatewayEvent) => {
  const status = queryStringParameters?.['status']
  const statuses = status === undefined ? ['available', 'pending', 'sold'] : [status]
  const pages = await Promise.all(statuses.map(queryNewest))
  const pets = pages.flatMap(({ Items = [] }) => Items)
  return { statusCode: 200, body: JSON.stringify(pets.slice(0, 20)) }
}
