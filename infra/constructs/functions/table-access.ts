import type { DynamoDB } from '@aws-sdk/client-dynamodb'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { OperationName } from '../../../shared/contract/generated/routes.ts'
import { petsTableSchema } from '../../../shared/dynamodb/table-schemas.ts'
import { environmentVariables } from '../../../shared/environment-variables.ts'

/** For each table, the environment variable in which functions find its name. */
export const tableVariables = {
  pets: environmentVariables.petsTable,
  apiKeys: environmentVariables.apiKeysTable,
  idempotency: environmentVariables.idempotencyTable,
} as const

export type ServiceTables = Readonly<Record<keyof typeof tableVariables, Table>>

/** Permission of a function to call `actions` on a table or, if `index` is set, on that index alone. */
export interface TableAccess {
  readonly table: keyof ServiceTables
  readonly index?: string
  readonly actions: readonly `dynamodb:${Capitalize<keyof DynamoDB & string>}`[]
}

type FunctionName = OperationName | 'authorizer' | 'gateway-keys' | 'unknown-route'

/** The permissions of each function on tables. `infra/constructs/api/gateway-keys.ts` adds others to `gateway-keys`. */
export const tableAccess: Readonly<Record<FunctionName, readonly TableAccess[]>> = {
  'list-pets': [{ table: 'pets', index: petsTableSchema.statusIndex.name, actions: ['dynamodb:Query'] }],
  'create-pet': [
    // A put whose condition fails returns the item, also in a transaction, so no read is needed.
    { table: 'pets', actions: ['dynamodb:PutItem'] },
    { table: 'idempotency', actions: ['dynamodb:PutItem'] },
  ],
  'get-pet': [{ table: 'pets', actions: ['dynamodb:GetItem'] }],
  'list-store-orders': [],
  authorizer: [{ table: 'apiKeys', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] }],
  // Updates are conditional on the record that the scan has read, so no other read is needed.
  'gateway-keys': [{ table: 'apiKeys', actions: ['dynamodb:Scan', 'dynamodb:UpdateItem'] }],
  'unknown-route': [],
}
