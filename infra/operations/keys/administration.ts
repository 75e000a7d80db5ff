import { hashApiKey } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, createGatewayKeyValue, isUsable } from '../../../shared/api-keys/api-key-record.ts'
import { type KeyChange, KeyTable, type StoredKey } from '../../../shared/api-keys/key-table.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { processInBatches, runInterruptibly, waitForAll } from '../../command-line/long-work.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environments, localStage } from '../../environments.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createKey, findKeyState, type IssuedKey, type KeyOrder } from './key.ts'

/** Shows a key to its operator, and the one that it replaces as it is then. */
export type ShowKey = (issued: IssuedKey, replaced?: ApiKeyRecord) => Promise<void>

type KeysTable = Pick<Environment, 'name' | 'database' | 'tables'>

interface KeyAdministrationOptions {
  readonly clock?: Clock
  /** Records each change. By default changes are made without a record. */
  readonly audit?: Pick<Audit, 'recordThenMake'>
  /** Called before a key is written. If it fails, the key is not. */
  readonly show?: ShowKey
}

const withoutAudit: Pick<Audit, 'recordThenMake'> = { recordThenMake: (_change, make) => make() }

interface Rotation {
  readonly overlapSeconds?: number
  readonly again?: boolean | undefined
}

const revocation = { state: 'revoked' } as const

export type KeyAdministration = ReturnType<typeof createKeyAdministration>

/**
 * What operators do with the API keys of an environment. Each change is one write of the table, on condition that nobody has
 * changed the same since it was read: there is nothing that an interruption could leave half done. API Gateway follows the
 * table (`functions/gateway-keys`). Keys are named by their ids, or by the keys themselves. A UserError says why one is not
 * changed.
 */
export const createKeyAdministration = (
  { name: environment, database, tables }: KeysTable,
  { clock = systemClock, audit = withoutAudit, show }: KeyAdministrationOptions = {},
) => {
  const table = new KeyTable(database, tables.apiKeys)
  const { apiKeyPrefix } = environments[environment === 'local' ? localStage : environment]
  const seconds = (): number => Math.floor(clock() / 1_000)

  const find = async (name: string): Promise<StoredKey> => {
    const keyHash = hashApiKey(name)
    const stored = (await table.list()).find((one) => one.record.keyId === name || one.keyHash === keyHash)
    if (stored === undefined) throw new UserError(`No API key has the id ${name}. "list" shows the ids of all.`)
    return stored
  }

  const findUsable = async (name: string): Promise<StoredKey> => {
    const stored = await find(name)
    const { keyId, successor } = stored.record
    if (isUsable(stored.record, seconds())) return stored
    const advice = successor === undefined ? 'Issue a new one' : `Its successor is ${successor}`
    throw new UserError(`The API key ${keyId} is ${findKeyState(stored.record, clock())}. ${advice}.`)
  }

  /** Changes what was read of a key, unless that has changed since. */
  const change = (action: string, stored: StoredKey, changes: KeyChange): Promise<ApiKeyRecord> =>
    audit.recordThenMake(lineOf(action, [stored.record], changes), async () => {
      const changed = await table.change(stored, changes)
      if (changed !== undefined) return changed
      throw new UserError(`${changedMeanwhile(stored)}, and this one has not. "show" says what it is now.`)
    })

  return {
    /** All keys, in the order in which they were issued. */
    list: async (): Promise<ApiKeyRecord[]> => (await table.list()).map(({ record }) => record),

    show: async (name: string): Promise<ApiKeyRecord> => (await find(name)).record,

    issue: (order: KeyOrder): Promise<IssuedKey> => {
      const issued = createKey(apiKeyPrefix, clock(), order)
      return audit.recordThenMake(
        { ...lineOf('issue', [issued.record], termsOf(issued.record)), old: null },
        async () => {
          await show?.(issued)
          await unlessFailed(issued, table.add(issued))
          return issued
        },
      )
    },

    /** Issues a key whose text is known beforehand, unless it was issued before. */
    issueKnown: (apiKey: string, order: KeyOrder): Promise<void> =>
      table.add({ ...createKey(apiKeyPrefix, clock(), order), keyHash: hashApiKey(apiKey) }),

    /**
     * Issues a successor with the same owner, plan, limits, scope and end by contract; `again` also where there is one.
     * A key that was rotated before keeps the end that was said then.
     */
    rotate: async (name: string, { overlapSeconds = 24 * 3_600, again = false }: Rotation = {}): Promise<IssuedKey> => {
      const stored = await findUsable(name)
      const { keyId, successor, minuteLimit: perMinute, dayLimit: perDay, overlapEndsAt } = stored.record
      if (successor !== undefined && !again) {
        const named = `${successor} (${findKeyState((await find(successor)).record, clock())})`
        throw new UserError(`The API key ${keyId} has the successor ${named}. To make another one, add --again.`)
      }
      const order = { ...stored.record, allowance: { perMinute, perDay } }
      const issued = createKey(apiKeyPrefix, clock(), order, stored.record)
      const changes = { successor: issued.record.keyId, overlapEndsAt: overlapEndsAt ?? seconds() + overlapSeconds }
      const replaced = { ...stored.record, ...changes }
      const line = lineOf('rotate', [stored.record, issued.record], { ...termsOf(issued.record), ...changes })
      return audit.recordThenMake(line, async () => {
        await show?.(issued, replaced)
        if (await unlessFailed(issued, table.replace(stored, changes, issued))) return issued
        throw new UserError(`${changedMeanwhile(stored)}. The API key above was not issued.`)
      })
    },

    /** Moves a key to another plan, and so to another API Gateway key. What it has used of its windows stays used. */
    move: async (name: string, plan: Plan, { perMinute, perDay }: Allowance): Promise<ApiKeyRecord> => {
      const stored = await findUsable(name)
      const anotherKey = stored.record.plan !== plan && { gatewayKey: createGatewayKeyValue(), meteredFrom: undefined }
      return change('move', stored, { plan, minuteLimit: perMinute, dayLimit: perDay, ...anotherKey })
    },

    edit: async (name: string, changes: Pick<KeyChange, 'owner' | 'contact'>): Promise<ApiKeyRecord> =>
      change('edit', await findUsable(name), changes),

    /** Ends a ban, and forgets the refusals and the bans that would make the next one longer. */
    unban: async (name: string): Promise<ApiKeyRecord> => {
      const stored = await findUsable(name)
      const { keyId, bannedUntil } = stored.record
      if (bannedUntil <= seconds()) throw new UserError(`The API key ${keyId} is not banned.`)
      return change('unban', stored, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
    },

    /** The key stops working at its next request. */
    revoke: async (name: string): Promise<ApiKeyRecord> => {
      const stored = await find(name)
      return stored.record.state === 'revoked' ? stored.record : change('revoke', stored, revocation)
    },

    /** Revokes all keys, until it is interrupted. @returns how many were revoked */
    revokeAll: async (): Promise<number> => {
      const active = (await table.list()).filter(({ record }) => record.state === 'active')
      let revoked = 0
      const revoke = async (stored: StoredKey): Promise<void> => {
        await change('revoke --all', stored, revocation)
        revoked += 1
      }
      const soFar = () => `${revoked} of ${active.length} keys were revoked until then. Run the same command again.`
      await runInterruptibly(soFar, (signal) =>
        processInBatches('keys', active, (batch) => waitForAll(batch.map(revoke)), { signal }),
      )
      return revoked
    },
  }
}

const changedMeanwhile = ({ record: { keyId } }: StoredKey): string =>
  `Another command has changed the API key ${keyId} meanwhile`

/** Where a write gets no response, nobody knows whether it was carried out. */
const unlessFailed = <Result>({ record }: IssuedKey, write: Promise<Result>): Promise<Result> =>
  write.catch((cause: unknown) => {
    const sentence = `The API key above was not issued, unless "show ${record.keyId}" finds it.`
    throw new UserError(`${describeError(cause)} ${sentence}`, { cause })
  })

/** What a successor has of the key that it replaces, and the audit of a new key. */
const termsOf = ({ owner, contact, plan, scope, minuteLimit, dayLimit, expiresAt }: ApiKeyRecord): KeyChange => {
  return { owner, contact, plan, scope, minuteLimit, dayLimit, expiresAt }
}

/** A line of the audit, with `null` for what is not there. */
const lineOf = (action: string, records: readonly ApiKeyRecord[], changes: KeyChange) => {
  const audited = (record: KeyChange = {}): Record<string, unknown> =>
    Object.fromEntries(Object.keys(changes).map((name) => [name, Reflect.get(record, name) ?? null]))
  const ids = records.map(({ keyId }) => keyId)
  return { action: `keys ${action}`, ids, old: audited(records[0]), new: audited(changes) }
}
