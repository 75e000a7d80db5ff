import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { systemClock as clock } from '../../shared/clock.ts'
import { environmentVariables as names, readText, readUsagePlanIds } from '../../shared/environment-variables.ts'
import { apiGateway } from './api-gateway.ts'
import { followTable } from './follow-table.ts'

const table = new KeyTable(DynamoDBDocumentClient.from(new DynamoDBClient()), readText(names.apiKeysTable))
const gateway = apiGateway(new APIGatewayClient(), readText(names.environment), readUsagePlanIds())

/** Runs on a schedule: makes the API keys of API Gateway follow the table of keys. */
export const handler = (_event: unknown, invocation: { getRemainingTimeInMillis(): number }): Promise<void> =>
  followTable({ table, gateway, clock, millisecondsLeft: () => invocation.getRemainingTimeInMillis() })
