import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { systemClock } from '../../shared/clock.ts'
import { createBoundedRetries, maximumAttemptsPerCall } from '../../shared/dynamodb/bounded-retries.ts'
import { toDocumentClient } from '../../shared/dynamodb/document-client.ts'
import {
  environmentVariables as names,
  readTextVariable,
  readUsagePlanIds,
} from '../../shared/environment-variables.ts'
import { createGatewayKeyClient } from './api-gateway.ts'
import { followTable } from './follow-table.ts'

const table = new KeyTable(
  toDocumentClient(new DynamoDBClient({ maxAttempts: maximumAttemptsPerCall, retryStrategy: createBoundedRetries() })),
  readTextVariable(names.apiKeysTable),
)

const gateway = createGatewayKeyClient(new APIGatewayClient(), readTextVariable(names.environment), readUsagePlanIds())

/** Runs on a schedule: makes the API keys of API Gateway follow the table of keys. */
export const handler = (_event: unknown, invocation: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
  followTable({
    table,
    gateway,
    clock: systemClock,
    remainingMilliseconds: () => invocation.getRemainingTimeInMillis(),
  })
