import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { createDocumentClient } from '../../../shared/dynamodb/document-client.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'

const client = createDocumentClient()

/** The calls of list-pets for a first page of 20, and nothing else: not even a merge by id. */
export const handler = async ({ queryStringParameters }: GatewayEvent) => {
  const status = queryStringParameters?.['status']
  const statuses = status === undefined ? ['available', 'pending', 'sold'] : [status]
  const pages = await Promise.all(statuses.map(newest))
  return { statusCode: 200, body: JSON.stringify(pages.flatMap(({ Items = [] }) => Items).slice(0, 20)) }
}

const newest = (status: string) => {
  const keys = { ExpressionAttributeNames: { '#status': 'status' }, ExpressionAttributeValues: { ':status': status } }
  const query = { IndexName: 'status-index', KeyConditionExpression: '#status = :status', ...keys }
  const page = { ScanIndexForward: false, Limit: 21 }
  return client.send(new QueryCommand({ TableName: process.env['PETS_TABLE'], ...query, ...page }))
}
