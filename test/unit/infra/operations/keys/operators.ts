import { randomBytes } from 'node:crypto'
import { waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { expect } from 'vitest'
import { createTables } from '../../../../../infra/local/database/create-tables.ts'
import { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import type { IssuedKey, ShowKey } from '../../../../../infra/operations/keys/issuing.ts'
import { KeyTable } from '../../../../../infra/operations/keys/key-table.ts'
import { localEdgeRegistry } from '../../../../../infra/operations/keys/local-keys.ts'
import { createEdgeKeys, type EdgeKeys, edgeKeysTable } from '../../../../../infra/operations/target/edge-keys.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { RateLimiter } from '../../../../../shared/rate-limit/rate-limiter.ts'
import { RequestCounter } from '../../../../../shared/rate-limit/request-counter.ts'
import { clientOf, createFreshTables, type RunningEngine } from '../../../../fixtures/engines.ts'
import { noon, type SettableClock, settableClock } from '../../../../fixtures/settable-clock.ts'
import type { Turns } from '../../../../fixtures/turns.ts'

/** The process of a command was killed. */
export class Killed extends Error {}

/** A process that is killed before one of its steps: a call to a store, or showing a key. */
export interface Life {
  /** How many steps it takes before; without it, all. */
  readonly steps?: number
  /** The order in which processes take their steps. */
  readonly turns?: Turns
  /** Comes before the step of this number, from 0 on. */
  readonly interlude?: { readonly before: number; readonly run: () => Promise<void> }
}

export interface Operator {
  readonly keys: KeyAdministration
  /** Of the commands that make keys. */
  readonly show: ShowKey
}

/** An environment's keys table, its API Gateway keys, and operators who work on both. */
export interface Keys {
  readonly time: SettableClock
  readonly table: KeyTable
  readonly edgeKeys: EdgeKeys
  readonly limiter: RateLimiter
  /** The ids of the keys that an operator has seen. */
  readonly seen: ReadonlySet<string>
  operator(life?: Life): Operator
}

export const usagePlanIds = { free: 'plan-f', pro: 'plan-p', business: 'plan-b', enterprise: 'plan-e' } as const

export const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const

export const openKeys = async (engine: RunningEngine): Promise<Keys> => {
  const time = settableClock(noon)
  const tables = await createFreshTables(engine)
  const { client, plain } = clientOf(engine)
  const edgeTable = { ...edgeKeysTable, name: `${randomBytes(4).toString('hex')}-edge-keys` }
  const database = { endpoint: engine.endpoint, deletesExpiredItems: false, close: async () => undefined }
  await createTables(plain, database, [edgeTable])
  await waitUntilTableExists(
    { client: plain, minDelay: 0.05, maxDelay: 0.2, maxWaitTime: 10 },
    { TableName: edgeTable.name },
  )
  const seen = new Set<string>()
  const operator = ({ steps = Number.POSITIVE_INFINITY, turns, interlude }: Life = {}): Operator => {
    let taken = 0
    const step = async (label: string): Promise<void> => {
      await turns?.next(label)
      if (taken >= steps) throw new Killed(`Killed before ${label}.`)
      taken += 1
      if (interlude?.before === taken - 1) await interlude.run()
    }
    const own = clientOf(engine)
    own.plain.middlewareStack.add(
      (next, context) => async (given) => {
        await step(String(context['commandName']))
        return next(given)
      },
      { step: 'initialize', name: 'takeSteps' },
    )
    const edge = localEdgeRegistry(createEdgeKeys(own.plain, edgeTable.name), usagePlanIds)
    const pause = async (milliseconds: number) => time.advance(milliseconds / 1_000)
    return {
      keys: new KeyAdministration(new KeyTable(own.client, tables.apiKeys), edge, 'pet_test_', time.clock, pause),
      show: async ({ record }: IssuedKey) => {
        await step('show')
        seen.add(record.keyId)
      },
    }
  }
  return {
    time,
    table: new KeyTable(client, tables.apiKeys),
    edgeKeys: createEdgeKeys(plain, edgeTable.name),
    limiter: new RateLimiter(
      new RequestCounter(client, tables.apiKeys),
      { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 60 },
      time.clock,
    ),
    seen,
    operator,
  }
}

/** Each key that the records let work, and each key that API Gateway has, by the values that name them there. */
export const bothSides = async ({ table, edgeKeys, time }: Keys) => {
  const now = time.clock() / 1_000
  const usable = (await table.list()).flatMap(({ record }) =>
    record.state === 'active' && (record.expiresAt ?? Number.POSITIVE_INFINITY) > now ? [record] : [],
  )
  return {
    usable: new Map(
      usable.map(({ keyId, plan, gatewayKey }) => [gatewayKey, { name: keyId, usagePlanId: usagePlanIds[plan] }]),
    ),
    atGateway: new Map((await edgeKeys.list()).map(({ value, name, usagePlanId }) => [value, { name, usagePlanId }])),
  }
}

/** Every key that works is at API Gateway in its usage plan, no other is, nothing is unfinished, and all were seen. */
export const expectWhole = async (keys: Keys): Promise<void> => {
  const { usable, atGateway } = await bothSides(keys)
  expect(atGateway).toEqual(usable)
  expect([...usable.values()].filter(({ name }) => !keys.seen.has(name))).toEqual([])
  expect(await keys.table.listUnfinished()).toEqual([])
}
