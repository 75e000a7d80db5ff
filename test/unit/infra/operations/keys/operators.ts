import { expect } from 'vitest'
import { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import type { EdgeRegistry } from '../../../../../infra/operations/keys/edge-registry.ts'
import type { IssuedKey, ShowKey } from '../../../../../infra/operations/keys/issuing.ts'
import { KeyTable } from '../../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { clientOf, type RunningEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
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
export interface Keys extends Pick<Service, 'time' | 'edge' | 'limiter'> {
  readonly table: KeyTable
  /** The ids of the keys that an operator has seen. */
  readonly seen: ReadonlySet<string>
  operator(life?: Life): Operator
}

export const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const

export const openKeys = async (engine: RunningEngine): Promise<Keys> => {
  const { time, tables, client, edge, limiter } = await openService(engine)
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
    const ownEdge: EdgeRegistry = {
      put: async (record) => step('put').then(() => edge.put(record)),
      find: async (keyId) => step('find').then(() => edge.find(keyId)),
      list: async () => step('list').then(() => edge.list()),
      remove: async (key) => step('remove').then(() => edge.remove(key)),
    }
    const pause = async (milliseconds: number) => time.advance(milliseconds / 1_000)
    return {
      keys: new KeyAdministration(new KeyTable(own.client, tables.apiKeys), ownEdge, 'pet_test_', time.clock, pause),
      show: async ({ record }: IssuedKey) => {
        await step('show')
        seen.add(record.keyId)
      },
    }
  }
  return { time, edge, limiter, table: new KeyTable(client, tables.apiKeys), seen, operator }
}

/** Every key that works is at API Gateway in its usage plan, no other is, nothing is unfinished, and all were seen. */
export const expectWhole = async ({ table, edge, time, seen }: Keys): Promise<void> => {
  const now = time.clock() / 1_000
  const records = (await table.list()).map(({ record }) => record)
  const usable = records.filter(
    ({ state, expiresAt = Number.POSITIVE_INFINITY }) => state === 'active' && expiresAt > now,
  )
  const expected = usable.map(({ keyId, plan, gatewayKey: value = '' }) => ({ id: value, keyId, value, plans: [plan] }))
  expect(edge.keys).toEqual(new Map(expected.map((key) => [key.value, key])))
  expect(usable.filter(({ keyId }) => !seen.has(keyId))).toEqual([])
  expect(records.filter(({ unfinished }) => unfinished !== undefined)).toEqual([])
}
