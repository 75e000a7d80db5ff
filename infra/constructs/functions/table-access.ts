import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { OperationName } from '../../../shared/contract/generated/routes.ts'
import { environmentVariables } from '../../../shared/environment-variables.ts'
import { petsTableSchema } from '../../../shared/pets/pets-table-schema.ts'

/** The tables, with the variables that tell functions their names. */
export const tableVariables = {
  pets: environmentVariables.petsTable,
  apiKeys: environmentVariables.apiKeysTable,
  idempotency: environmentVariables.idempotencyTable,
} as const

export type ServiceTables = Readonly<Record<keyof typeof tableVariables, Table>>

/** What a function may do to a table, or only to an index of it. */
export interface TableAccess {
  readonly table: keyof ServiceTables
  readonly index?: string
  readonly actions: readonly `dynamodb:${string}`[]
}

type FunctionName = OperationName | 'authorizer' | 'gateway-keys' | 'unknown-route'

/** The permissions of each function. */
export const tableAccess: Readonly<Record<FunctionName, readonly TableAccess[]>> = {
  'list-pets': [{ table: 'pets', index: petsTableSchema.statusIndex.name, actions: ['dynamodb:Query'] }],
  'create-pet': [
    { table: 'pets', actions: ['dynamodb:GetItem', 'dynamodb:PutItem'] },
    // A write whose condition fails returns the record, so nothing reads it.
    { table: 'idempotency', actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'] },
  ],
  'get-pet': [{ table: 'pets', actions: ['dynamodb:GetItem'] }],
  'list-store-orders': [],
  authorizer: [{ table: 'apiKeys', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] }],
  // A key that was changed meanwhile is not changed, so nothing but the scan reads.
  'gateway-keys': [{ table: 'apiKeys', actions: ['dynamodb:Scan', 'dynamodb:UpdateItem'] }],
  'unknown-route': [],
}
