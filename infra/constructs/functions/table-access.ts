import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { OperationName } from '../../../shared/contract/generated/routes.ts'
import { petsTableSchema } from '../../../shared/pets/pets-table-schema.ts'

/** The tables of the service. */
export interface ServiceTables {
  readonly pets: Table
  readonly apiKeys: Table
  readonly idempotency: Table
}

/** What a function may do to a table, or only to an index of it. */
export interface TableAccess {
  readonly table: keyof ServiceTables
  readonly index?: string
  readonly actions: readonly `dynamodb:${string}`[]
}

/** The permissions of each operation of the contract. */
export const operationAccess: Readonly<Record<OperationName, readonly TableAccess[]>> = {
  'list-pets': [{ table: 'pets', index: petsTableSchema.statusIndex.name, actions: ['dynamodb:Query'] }],
  'create-pet': [
    { table: 'pets', actions: ['dynamodb:GetItem', 'dynamodb:PutItem'] },
    // A write whose condition fails returns the record, so nothing reads it.
    { table: 'idempotency', actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'] },
  ],
  'get-pet': [{ table: 'pets', actions: ['dynamodb:GetItem'] }],
  'list-store-orders': [],
}

export const authorizerAccess: readonly TableAccess[] = [
  { table: 'apiKeys', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
]

/** A key that was changed meanwhile is not changed, so nothing but the scan reads. */
export const gatewayKeysAccess: readonly TableAccess[] = [
  { table: 'apiKeys', actions: ['dynamodb:Scan', 'dynamodb:UpdateItem'] },
]
