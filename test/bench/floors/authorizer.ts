import { createHash, randomBytes } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda'
import { createDocumentClient } from '../../../shared/dynamodb/document-client.ts'

const client = createDocumentClient()

const updateExpression = 'SET lastWrite = :write, minuteCount = minuteCount + :one, dayCount = dayCount + :one'

const conditionExpression = [
  '(attribute_not_exists(lastWrite) OR lastWrite <> :write)',
  'minuteWindow >= :minute',
  'dayWindow >= :day',
  'minuteCount < minuteLimit',
  'dayCount < dayLimit',
  '#state = :active',
  'bannedUntil <= :now',
  '(attribute_not_exists(expiresAt) OR expiresAt > :now)',
  '(attribute_not_exists(overlapEndsAt) OR overlapEndsAt > :now)',
].join(' AND ')

/** Makes the authorizer's call for a request within the limits, and does nothing else. The condition always holds. */
export const handler = async ({ headers }: APIGatewayRequestAuthorizerEvent) => {
  const token = headers?.['Authorization']?.slice('Bearer '.length) ?? ''
  const command = new UpdateCommand({
    TableName: process.env['API_KEYS_TABLE'],
    Key: { keyHash: createHash('sha256').update(token).digest('hex') },
    UpdateExpression: updateExpression,
    ConditionExpression: conditionExpression,
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':one': 1,
      // Any window is open, also that of a key that was never used.
      ':minute': 0,
      ':day': 0,
      ':active': 'active',
      ':now': Date.now() / 1_000,
      ':write': randomBytes(8).toString('base64url'),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
  const { Attributes } = await client.send(command)
  // The probe only looks whether there is a policy.
  return { principalId: Attributes?.['keyId'], policyDocument: {} }
}
