import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { KeyChange } from '../../../shared/api-keys/key-table.ts'

/** What a record has of the attributes that a change writes. */
export const valuesOf = (record: ApiKeyRecord, change: KeyChange): KeyChange =>
  Object.fromEntries(Object.keys(change).map((name) => [name, Reflect.get(record, name)]))

/** Attributes for the audit, with `null` for what is not there. */
export const audited = (values: KeyChange): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null]))

/** What the audit has of a new key. */
export const auditedKey = ({ owner, contact, plan, scope, minuteLimit, dayLimit, expiresAt }: ApiKeyRecord) =>
  audited({ owner, contact, plan, scope, minuteLimit, dayLimit, expiresAt })
