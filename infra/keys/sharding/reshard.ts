import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, Sharding } from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import { type ItemKey, shardItem, shareOf } from '../../../shared/api-keys/shards.ts'
import { ClearError } from '../../command-line/clear-error.ts'
import type { AddedCounts, KeyTable } from '../key-table.ts'
import { type Charge, chargesOf } from './charges.ts'

export interface NewLimits {
  readonly plan: Plan
  readonly allowance: Allowance
  /** How many items are to count the key's requests. */
  readonly count: number
}

/**
 * Moves a key to new limits, on another number of items if need be, while it is in use. What was used of the current
 * windows stays used, and no more is let through in them than the larger of the old and the new limits allows:
 *
 * 1. Limits are lowered, and shards given up. The root is first, and tells of all items that may count, old and new.
 * 2. Limits are raised, and shards put. In the same writes they are charged with what others have counted beyond
 *    their new shares. The root is last, and tells of the new items alone.
 * 3. Those others are relieved of it.
 *
 * Should this end half-way, less is let through until it is repeated, never more; and what a repetition charges once
 * more stays used until its window ends.
 */
export const reshard = async (table: KeyTable, keyHash: KeyHash, root: ApiKeyRecord, to: NewLimits): Promise<void> => {
  const most = Math.max(root.sharding?.count ?? 1, to.count)
  const first = await lower(table, keyHash, to, 0, most)
  const others = await Promise.all(indexes(1, most).map((index) => lower(table, keyHash, to, index, most)))
  const shards = charge([first, ...others])
  const [charged, ...rest] = shards
  await Promise.all(rest.map((shard) => raise(table, root, shard)))
  if (charged !== undefined) await raise(table, root, charged)
  await Promise.all(shards.map((shard) => relieve(table, shard)))
}

const indexes = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** An item that is to have a new share, after what it had beyond that was taken from it. */
interface Lowered {
  readonly item: ItemKey
  readonly target: Pick<ApiKeyRecord, 'plan' | 'state' | 'sharding' | 'minuteLimit' | 'dayLimit'>
  readonly record: ApiKeyRecord | undefined
  /** Whether requests are counted on it. */
  readonly isCounting: boolean
}

const lower = async (
  table: KeyTable,
  keyHash: KeyHash,
  to: NewLimits,
  index: number,
  most: number,
): Promise<Lowered> => {
  const item = shardItem(keyHash, index)
  const target = targetOf(to, index)
  const before = await table.read(item)
  const isCounting = before !== undefined && (index === 0 || before.state === 'active')
  if (!isCounting) return { item, target, record: before, isCounting }
  const record = await table.change(item, {
    plan: target.plan,
    sharding: index === 0 ? shardingOf(to, most) : target.sharding,
    minuteLimit: Math.min(before.minuteLimit, target.minuteLimit),
    dayLimit: Math.min(before.dayLimit, target.dayLimit),
    ...(target.state === 'revoked' ? { state: target.state } : {}),
  })
  return { item, target, record, isCounting: target.state === 'active' }
}

const targetOf = (to: NewLimits, index: number): Lowered['target'] => {
  const isKept = index < to.count
  return {
    plan: to.plan,
    // A shard that is given up lets nothing through, as one that is revoked.
    state: isKept ? 'active' : 'revoked',
    sharding: shardingOf(to, to.count),
    minuteLimit: isKept ? shareOf(to.allowance.perMinute, index, to.count) : 0,
    dayLimit: isKept ? shareOf(to.allowance.perDay, index, to.count) : 0,
  }
}

const shardingOf = ({ allowance }: NewLimits, count: number): Sharding | undefined =>
  count === 1 ? undefined : { count, minuteLimit: allowance.perMinute, dayLimit: allowance.perDay }

/** The attributes of a record that belong to each of its two windows. */
const windows = [
  { window: 'minuteWindow', count: 'minuteCount', limit: 'minuteLimit' },
  { window: 'dayWindow', count: 'dayCount', limit: 'dayLimit' },
] as const

/** A charge on a count, in the latest window that any item of the key has opened. */
interface WindowCharge extends Charge {
  readonly of: (typeof windows)[number]
  readonly inWindow: number
}

interface Charged extends Lowered {
  readonly charges: readonly WindowCharge[]
}

const charge = (shards: readonly Lowered[]): readonly Charged[] => {
  const charges = windows.map((of) => {
    const inWindow = Math.max(...shards.map(({ record }) => record?.[of.window] ?? 0))
    const shares = shards.map(({ record, target, isCounting }) => ({
      count: record?.[of.window] === inWindow ? record[of.count] : 0,
      limit: isCounting ? (record?.[of.limit] ?? 0) : 0,
      target: target[of.limit],
    }))
    return chargesOf(shares).map((one) => ({ ...one, of, inWindow }))
  })
  return shards.map((shard, index) => ({ ...shard, charges: charges.flatMap((all) => all[index] ?? []) }))
}

const raise = async (table: KeyTable, root: ApiKeyRecord, shard: Charged): Promise<void> => {
  const { item, target, record, isCounting, charges } = shard
  if (target.state === 'revoked') return
  if (isCounting) return raiseInUse(table, shard)
  const put = { ...root, ...target, refusalCount: 0, banCount: 0, ...chargedCounts(record, charges) }
  if (!(await table.putShard(item, put))) throw changedMeanwhile()
}

const raiseInUse = async (table: KeyTable, { item, target, record: lowered, charges }: Charged): Promise<void> => {
  const { state: _kept, ...changes } = target
  let record = lowered
  for (let turn = 0; turn < mostTurns && record !== undefined; turn += 1) {
    const { minuteWindow, dayWindow } = record
    const counts = countChanges(record, charges)
    const given = { minuteWindow, dayWindow }
    if (await table.change(item, { ...changes, ...counts.set }, { added: counts.added, given })) return
    record = await table.read(item)
  }
  throw changedMeanwhile()
}

/** A window rolls over once while this runs, or not at all. */
const mostTurns = 3

const changedMeanwhile = (): ClearError =>
  new ClearError('The API key was changed by another command meanwhile. Repeat this one.')

type Counts = Partial<Pick<ApiKeyRecord, 'minuteWindow' | 'minuteCount' | 'dayWindow' | 'dayCount'>>

/** The counts of an item on which nothing is counted meanwhile. */
const chargedCounts = (record: ApiKeyRecord | undefined, charges: readonly WindowCharge[]): Counts =>
  Object.fromEntries(
    charges.flatMap(({ of, inWindow, charged }) => {
      const count = record?.[of.window] === inWindow ? record[of.count] : 0
      return [
        [of.window, inWindow],
        [of.count, count + charged],
      ]
    }),
  )

/** How the counts of an item in use change. A window that has passed by now is charged with nothing. */
const countChanges = (record: ApiKeyRecord, charges: readonly WindowCharge[]) => {
  const due = charges.filter(({ of, inWindow, charged }) => charged > 0 && record[of.window] <= inWindow)
  const begun = due.filter(({ of, inWindow }) => record[of.window] === inWindow)
  const added: AddedCounts = Object.fromEntries(begun.map(({ of, charged }) => [of.count, charged]))
  const set = chargedCounts(
    undefined,
    due.filter((one) => !begun.includes(one)),
  )
  return { added, set }
}

const relieve = async (table: KeyTable, { item, record, charges }: Charged): Promise<void> => {
  for (const { of, relieved } of charges) {
    if (record === undefined || relieved === 0) continue
    // Nothing is counted where the share is used up, so the count is still the same, unless its window has passed.
    const given = { [of.window]: record[of.window], [of.count]: record[of.count] }
    await table.change(item, { [of.count]: record[of.count] - relieved }, { given })
  }
}
