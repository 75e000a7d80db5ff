import { createHash } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda'
import { createDocumentClient } from '../../../shared/dynamodb/document-client.ts'

const client = createDocumentClient()

/** Makes the authorizer's call for a request within the limits, and does nothing else. The condition always holds. */
export const handler = async ({ headers }: APIGatewayRequestAuthorizerEvent) => {
  const token = headers?.['Authorization']?.slice('Bearer '.length) ?? ''
  const command = new UpdateCommand({
    TableName: process.env['API_KEYS_TABLE'],
    Key: { keyHash: createHash('sha256').update(token).digest('hex') },
    UpdateExpression: 'ADD minuteCount :one, dayCount :one',
    ConditionExpression:
      'minuteWindow >= :zero AND dayWindow >= :zero AND minuteCount < minuteLimit AND dayCount < dayLimit AND ' +
      '#state = :active AND bannedUntil <= :now AND (attribute_not_exists(expiresAt) OR expiresAt > :now)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':one': 1, ':zero': 0, ':active': 'active', ':now': Date.now() / 1_000 },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
  const { Attributes } = await client.send(command)
  return { principalId: Attributes?.['keyId'], policyDocument: {} }
}
