import { setTimeout } from 'node:timers/promises'
import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Context } from 'aws-lambda'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { systemClock } from '../../shared/clock.ts'
import { environmentVariables as names, readText, readUsagePlanIds } from '../../shared/environment-variables.ts'
import { apiGateway } from './api-gateway.ts'
import { followTable } from './follow-table.ts'

/** Nobody waits for this function, so it may try for long. */
const maxAttempts = 8

/** The longest that a step takes with all its attempts. */
const marginMilliseconds = 60_000

const table = new KeyTable(
  DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts })),
  readText(names.apiKeysTable),
)
const gateway = apiGateway(new APIGatewayClient({ maxAttempts }), readText(names.environment), readUsagePlanIds())

/** Runs on a schedule: makes the API keys of API Gateway follow the table of keys. */
export const handler = (_event: unknown, invocation: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
  followTable({
    table,
    gateway,
    clock: systemClock,
    pause: (milliseconds) => setTimeout(milliseconds),
    isLate: () => invocation.getRemainingTimeInMillis() < marginMilliseconds,
    report: (step, error) => {
      const subject = step.kind === 'remove' ? `the API Gateway key ${step.gatewayKey.id}` : step.stored.record.keyId
      console.error(`The step "${step.kind}" of ${subject} failed.`, error)
    },
  })
