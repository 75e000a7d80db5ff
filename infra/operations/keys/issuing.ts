import {
  type ApiKeyPrefix,
  formatApiKey,
  hashApiKey,
  randomLength,
  randomText,
} from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  type KeyId,
  newApiKeyRecord,
  type Scope,
  scopeOf,
} from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type KeyStores, newGatewayKey, revocation, secondsOf, settle } from './settling.ts'

/** A key that was just made: the only time that the key itself is seen. */
export interface IssuedKey {
  readonly apiKey: string
  readonly record: ApiKeyRecord
}

export interface KeyOrder {
  readonly owner: string
  readonly contact?: string | undefined
  readonly plan: Plan
  readonly allowance: Allowance
  readonly scope?: Scope
  /** Unix seconds. */
  readonly expiresAt?: number | undefined
}

/** What a successor has of the key that it replaces. */
export type Succession = Pick<ApiKeyRecord, 'predecessor' | 'overlapSeconds' | 'idempotencyScope'>

/** Shows a key to its operator. If it fails, the key is not issued. */
export type ShowKey = (issued: IssuedKey) => Promise<void>

/**
 * Makes a key that works from its first second. The record is `showing` until the operator has seen the key, and
 * `placing` until API Gateway has a key for it.
 */
export const issue = async (
  stores: KeyStores,
  prefix: ApiKeyPrefix,
  order: KeyOrder,
  show: ShowKey,
  succession?: Succession,
): Promise<IssuedKey> => {
  const apiKey = formatApiKey(prefix, randomText(randomLength))
  const keyHash = hashApiKey(apiKey)
  const record = newRecord(stores, order, succession)
  if (!(await stores.table.add(keyHash, { ...record, unfinished: 'showing' }))) {
    throw new Error('A random API key had been issued before.')
  }
  try {
    await show({ apiKey, record: { ...record, unfinished: undefined } })
  } catch (error) {
    await stores.table.change(keyHash, revocation)
    await settle(stores, keyHash)
    throw error
  }
  await stores.table.change(keyHash, { unfinished: 'placing' }, { state: 'active', unfinished: 'showing' })
  const settled = await settle(stores, keyHash)
  if (settled.state === 'revoked') {
    throw new UserError(`The API key ${record.keyId} was revoked while it was being issued. Issue another one.`)
  }
  return { apiKey, record: settled }
}

/** Makes a key whose text is known beforehand; one that was made before stays as it is. */
export const issueKnown = async (
  stores: KeyStores,
  apiKey: string,
  order: KeyOrder,
): Promise<IssuedKey | undefined> => {
  const keyHash = hashApiKey(apiKey)
  if (!(await stores.table.add(keyHash, newRecord(stores, order)))) return undefined
  return { apiKey, record: await settle(stores, keyHash) }
}

const newRecord = (
  { clock }: KeyStores,
  { owner, contact, plan, allowance, scope = 'read-write', expiresAt }: KeyOrder,
  succession?: Succession,
): ApiKeyRecord => {
  const keyId = newKeyId(clock())
  const createdAt = secondsOf(clock)
  return newApiKeyRecord({
    keyId,
    idempotencyScope: scopeOf(keyId),
    owner,
    contact,
    plan,
    scope,
    createdAt,
    expiresAt,
    minuteLimit: allowance.perMinute,
    dayLimit: allowance.perDay,
    ...newGatewayKey({ meteredFrom: undefined, previousKeyUntil: undefined }, createdAt),
    ...succession,
  })
}

/** Key ids sort by the time at which they were issued. They are no secret. */
const newKeyId = (now: number): KeyId =>
  `key_${now.toString(36).padStart(9, '0')}${randomText(8).toLowerCase()}` as KeyId
