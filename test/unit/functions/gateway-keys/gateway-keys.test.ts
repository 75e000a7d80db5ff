import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planNames } from '../../../../shared/api-keys/plans.ts'
import { sized } from '../../../fixtures/size.ts'
import { Turns } from '../../../fixtures/turns.ts'
import { createWorld, fates, type World } from './world.ts'

/** `PET_GATEWAY_KEYS=100000` tries more worlds. */
const numRuns = Number(process.env['PET_GATEWAY_KEYS'] ?? sized(3_000, 30_000))
const options = { numRuns, endOnFailure: true }

const quarter = 15 * 60

/** What happens between two calls of the function, or to begin with. */
const acts = {
  issue: (world) => world.issue(),
  'issue for two hours': (world) =>
    world.issue({ expiresAt: Math.floor(world.time.clock() / 1_000) + 7_200, plan: 'business' }),
  'move to pro': (world, keyHash) => world.move(keyHash, 'pro'),
  'move to free': (world, keyHash) => world.move(keyHash, 'free'),
  revoke: (world, keyHash) => world.revoke(keyHash),
  'delete by hand': (world, keyHash) => world.tamper(keyHash, 'delete'),
  'take out by hand': (world, keyHash) => world.tamper(keyHash, 'take out'),
  'put into another plan by hand': (world, keyHash) => world.tamper(keyHash, 'put into another plan'),
  orphan: (world) => world.keep(`orphan ${world.kept.size} ${world.time.clock()}`, 'free'),
  'orphan in no plan': (world) => world.keep(`in no plan ${world.kept.size} ${world.time.clock()}`, undefined),
  minute: ({ time }) => time.advance(60),
  quarter: ({ time }) => time.advance(quarter),
  'almost two hours': ({ time }) => time.advance(7_190),
} satisfies Readonly<Record<string, (world: World, keyHash: string) => unknown>>

// The keys of the table are just the names.
const act = fc.record({ name: fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])), of: fc.nat(9) })

const perform = (world: World, { name, of }: typeof act extends fc.Arbitrary<infer Act> ? Act : never): void => {
  const keyHashes = [...world.records.keys()]
  acts[name](world, keyHashes[of % Math.max(1, keyHashes.length)] ?? '')
  world.check()
}

const runs = async (world: World, count: number): Promise<void> => {
  for (let run = 0; run < count; run += 1) {
    await world.run()
    world.time.advance(quarter)
    world.check()
  }
}

describe('gateway-keys', () => {
  it('leads to agreement from whatever there is and happens, and refuses no request on the way', async () => {
    const property = fc.asyncProperty(
      fc.scheduler(),
      fc.array(act, { maxLength: 20 }),
      // Of runs that happen at the same time: late ones, doubled ones, or one.
      fc.array(fc.array(fc.constantFrom('done' as const, ...fates), { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      fc.array(act, { maxLength: 12 }),
      async (scheduler, before, fatesOfRuns, meanwhile) => {
        const world = createWorld()
        for (const [index, one] of before.entries()) {
          perform(world, one)
          if (index % 5 === 4) await runs(world, index)
        }
        const turns = new Turns(scheduler)
        const operators = async () => {
          for (const one of meanwhile) {
            await turns.next(one.name)
            perform(world, one)
          }
        }
        const run = (fatesOfRun: (typeof fatesOfRuns)[number]) => () =>
          world.run({ fates: fatesOfRun, turn: (label) => turns.next(label) })
        await turns.run([operators, ...fatesOfRuns.map(run)])
        // Keys with an end have ended.
        world.time.advance(4 * 3_600)
        world.check()
        // One finds what was changed by hand, one makes it anew.
        await runs(world, 2)
        world.expectAgreement()
        await runs(world, 5)
        world.expectAgreement()
      },
    )
    await fc.assert(property, options)
  }, 300_000)

  it('gives a new key its API Gateway key in one run, and meters on it an hour later', async () => {
    const world = createWorld()
    const keyHash = world.issue({ plan: 'pro' })
    await world.run()
    world.expectAgreement()
    expect(world.records.get(keyHash)?.meteredFrom).toBe(world.time.clock() / 1_000 + 3_600)
  })

  it.each(['delete', 'take out', 'put into another plan'] as const)(
    'meters nothing more on a key that somebody has changed by hand (%s), before it does anything else',
    async (change) => {
      const world = createWorld()
      const keyHashes = [world.issue(), world.issue()]
      await world.run()
      world.time.advance(3_600)
      // One that has no API Gateway key yet, and one that is metered on its own.
      const waiting = world.issue()
      world.keep(world.records.get(waiting)?.gatewayKey ?? '', 'enterprise')
      for (const keyHash of keyHashes) world.tamper(keyHash, change)
      await world.run({ fates: ['done', 'done', 'done', 'done', 'done', 'cut off'] })
      expect([...world.records.values()].map(({ meteredFrom }) => meteredFrom)).toEqual([
        undefined,
        undefined,
        undefined,
      ])
      await runs(world, 1)
      world.expectAgreement()
    },
  )

  it('deletes before it creates, so that an account that is full of keys without use has room in the same run', async () => {
    const world = createWorld({ room: 3 })
    for (const name of ['one', 'two', 'three']) world.keep(name, 'free')
    for (const plan of planNames.slice(0, 3)) world.issue({ plan })
    await world.run()
    world.expectAgreement()
  })

  it('stops where the account is full, reports that once, and goes on when there is room', async () => {
    const world = createWorld({ room: 5 })
    const keyHashes = Array.from({ length: 7 }, () => world.issue())
    await world.run()
    expect([world.kept.size, world.reported]).toEqual([5, ['give']])
    for (const keyHash of keyHashes.slice(0, 2)) world.revoke(keyHash)
    await world.run()
    world.expectAgreement()
  })

  it('stops before its timeout, and goes on next time', async () => {
    const world = createWorld()
    for (let issued = 0; issued < 3; issued += 1) world.issue()
    await world.run({ turn: async () => world.time.advance(200) })
    expect(world.kept.size).toBe(1)
    await runs(world, 1)
    world.expectAgreement()
  })
})
