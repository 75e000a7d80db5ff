import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { systemClock } from '../../shared/clock.ts'
import { BoundedRetries, toDocumentClient } from '../../shared/dynamodb/document-client.ts'
import {
  environmentVariables as names,
  readTextVariable,
  readUsagePlanIds,
} from '../../shared/environment-variables.ts'
import { createGatewayKeyClient } from './api-gateway.ts'
import { followTable } from './follow-table.ts'

/** Limits of one call. Without them a dead connection would take the whole time of a run. */
const requestHandler = { connectionTimeout: 2_000, socketTimeout: 5_000 }

const table = new KeyTable(
  toDocumentClient(new DynamoDBClient({ retryStrategy: new BoundedRetries(), requestHandler })),
  readTextVariable(names.apiKeysTable),
)

const gateway = createGatewayKeyClient(new APIGatewayClient({ requestHandler }), {
  name: readTextVariable(names.environment),
  unlimitedKey: readTextVariable(names.unlimitedGatewayKey),
  usagePlanIds: readUsagePlanIds(),
})

/** Runs on a schedule: makes the API keys of API Gateway follow the table of keys. */
export const handler = (_event: unknown, invocation: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
  followTable({
    table,
    gateway,
    clock: systemClock,
    remainingMilliseconds: () => invocation.getRemainingTimeInMillis(),
  })
