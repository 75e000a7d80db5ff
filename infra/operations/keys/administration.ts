import { type ApiKeyPrefix, hashApiKey } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, isUsable, newGatewayKeyValue } from '../../../shared/api-keys/api-key-record.ts'
import { type KeyChange, KeyTable, type StoredKey, valuesOf } from '../../../shared/api-keys/key-table.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { allEnded, interruptible, progress, workThrough } from '../../command-line/long-work.ts'
import { sentenceOf } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environments, localStage } from '../../environments.ts'
import type { Recording } from '../target/audit.ts'
import type { OpenEnvironment } from '../target/open-environment.ts'
import { type IssuedKey, type KeyOrder, newKey, stateOf } from './key.ts'

interface Surroundings {
  readonly table: KeyTable
  readonly prefix: ApiKeyPrefix
  readonly clock: Clock
  /** Records each change, and then makes it. @default it is made */
  readonly recorded?: Recording | undefined
}

/** Shows a key to its operator before it is written. If that fails, it is not. A key that is replaced is as it is then. */
export type ShowKey = (issued: IssuedKey, replaced?: ApiKeyRecord) => Promise<void>

interface RotationOptions {
  /** How long the key still works. One that was rotated before keeps the end that was said then. */
  readonly overlapSeconds?: number | undefined
  /** Also where the key has a successor. */
  readonly again?: boolean | undefined
}

const defaultOverlapSeconds = 24 * 3_600

export type KeyAdministration = ReturnType<typeof keyAdministration>

/**
 * What operators do with API keys. Each change is one write of the table, on condition that nobody has changed the same
 * since it was read: there is nothing that an interruption could leave half done. API Gateway follows the table
 * (`functions/gateway-keys`). Keys are named by their ids, or by the keys themselves. A UserError says why one is not changed.
 */
export const keyAdministration = ({ table, prefix, clock, recorded = (_line, make) => make() }: Surroundings) => {
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
    throw new UserError(`The API key ${keyId} is ${stateOf(stored.record, clock())}. ${advice}.`)
  }

  /** Changes what was read of a key, unless that has changed since. */
  const change = (action: string, stored: StoredKey, changes: KeyChange): Promise<ApiKeyRecord> => {
    const { keyId } = stored.record
    const line = { action: `keys ${action}`, ids: [keyId], old: audited(valuesOf(stored.record, changes)) }
    return recorded({ ...line, new: audited(changes) }, async () => {
      const changed = await table.change(stored, changes)
      if (changed !== undefined) return changed
      throw new UserError(
        `Another command has changed the API key ${keyId} meanwhile, and this one has not. "show" says what it is now.`,
      )
    })
  }

  return {
    /** All keys, in the order in which they were issued. */
    list: async (): Promise<ApiKeyRecord[]> => (await table.list()).map(({ record }) => record),

    show: async (name: string): Promise<ApiKeyRecord> => (await find(name)).record,

    issue: (order: KeyOrder, show?: ShowKey): Promise<IssuedKey> => {
      const issued = newKey(prefix, clock(), order)
      const line = { action: 'keys issue', ids: [issued.record.keyId], old: null, new: auditedKey(issued.record) }
      return recorded(line, async () => {
        await show?.(issued)
        await unlessFailed(issued, table.add(issued))
        return issued
      })
    },

    /** Issues a key whose text is known beforehand, unless it was issued before. */
    issueKnown: (apiKey: string, order: KeyOrder): Promise<void> =>
      table.add({ ...newKey(prefix, clock(), order), keyHash: hashApiKey(apiKey) }),

    /** Issues a successor with the same owner, plan, limits, scope and end by contract. */
    rotate: async (name: string, options: RotationOptions = {}, show?: ShowKey): Promise<IssuedKey> => {
      const { overlapSeconds = defaultOverlapSeconds, again = false } = options
      const stored = await findUsable(name)
      const { record } = stored
      const { keyId, successor, idempotencyScope } = record
      if (successor !== undefined && !again) {
        const state = stateOf((await find(successor)).record, clock())
        throw new UserError(
          `The API key ${keyId} is being rotated: its successor is ${successor} (${state}). To make another one, add --again.`,
        )
      }
      const allowance = { perMinute: record.minuteLimit, perDay: record.dayLimit }
      const issued = newKey(prefix, clock(), { ...record, allowance }, { predecessor: keyId, idempotencyScope })
      const overlapEndsAt = record.overlapEndsAt ?? seconds() + overlapSeconds
      const changes = { successor: issued.record.keyId, overlapEndsAt }
      const line = {
        ...{ action: 'keys rotate', ids: [keyId, issued.record.keyId], old: audited(valuesOf(record, changes)) },
        new: { ...audited(changes), ...auditedKey(issued.record) },
      }
      return recorded(line, async () => {
        await show?.(issued, { ...record, ...changes })
        if (await unlessFailed(issued, table.replace(stored, changes, issued))) return issued
        throw new UserError(
          `Another command has changed the API key ${keyId} meanwhile. The API key above was not issued.`,
        )
      })
    },

    /** Moves a key to another plan, and so to another API Gateway key. What it has used of its windows stays used. */
    move: async (name: string, plan: Plan, { perMinute, perDay }: Allowance): Promise<ApiKeyRecord> => {
      const stored = await findUsable(name)
      const anotherKey = stored.record.plan !== plan && { gatewayKey: newGatewayKeyValue(), meteredFrom: undefined }
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
      await interruptible(soFar, (signal) => {
        const advance = progress('keys', active.length)
        return workThrough(active, (batch) => allEnded(batch.map(revoke)), { signal, advance })
      })
      return revoked
    },
  }
}

const revocation = { state: 'revoked' } as const

type Place = Pick<OpenEnvironment, 'environment' | 'database' | 'tables'> & Pick<Surroundings, 'recorded'>

/** The keys of an environment. */
export const administer = (
  { environment, database, tables, recorded }: Place,
  clock = systemClock,
): KeyAdministration => {
  const { apiKeyPrefix: prefix } = environments[environment === 'local' ? localStage : environment]
  return keyAdministration({ table: new KeyTable(database, tables.apiKeys), prefix, clock, recorded })
}

/** Where a write gets no response, nobody knows whether it was carried out. */
const unlessFailed = <Result>({ record }: IssuedKey, write: Promise<Result>): Promise<Result> =>
  write.catch((cause: unknown) => {
    const sentence = `The API key above was not issued, unless "show ${record.keyId}" finds it.`
    throw new UserError(`${sentenceOf(cause)} ${sentence}`, { cause })
  })

/** Attributes for the audit, with `null` for what is not there. */
const audited = (values: KeyChange): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null]))

/** What the audit has of a new key. */
const auditedKey = ({ owner, contact, plan, scope, minuteLimit, dayLimit, expiresAt }: ApiKeyRecord) =>
  audited({ owner, contact, plan, scope, minuteLimit, dayLimit, expiresAt })
