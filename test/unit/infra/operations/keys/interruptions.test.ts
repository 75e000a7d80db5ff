import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { issueSeconds } from '../../../../../infra/operations/keys/issuing.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { sized } from '../../../../fixtures/size.ts'
import { Turns } from '../../../../fixtures/turns.ts'
import { bothSides, expectWhole, free, type Keys, Killed, type Operator, openKeys } from './operators.ts'

/** `PET_KEY_COMMANDS=200` interrupts and races more of them. */
const commandCount = Number(process.env['PET_KEY_COMMANDS'] ?? sized(4, 20))
const commandsOfRace = 2
const seed = 20_261_121
const options = { numRuns: Math.ceil(commandCount / commandsOfRace), seed, endOnFailure: true }
/** Milliseconds: each race has tables of its own. */
const timeout = 60_000 + 3_000 * commandCount

type Command = 'issue' | 'rotate' | 'move to pro' | 'move to business' | 'revoke' | 'repair'

const commands: readonly Command[] = ['issue', 'rotate', 'move to pro', 'move to business', 'revoke', 'repair']

/** Those of a key that is there. */
const changes = commands.filter((command) => command !== 'issue')

/** More than a command that changes one key has. */
const mostSteps = 8

const carryOut = async ({ keys, show }: Operator, command: Command, keyId: string): Promise<void> => {
  switch (command) {
    case 'issue':
      await keys.issue(free, show)
      break
    case 'rotate':
      await keys.rotate(keyId, 3_600, show)
      break
    case 'move to pro':
      await keys.move(keyId, 'pro', fixedPlans.pro)
      break
    case 'move to business':
      await keys.move(keyId, 'business', fixedPlans.business)
      break
    case 'revoke':
      await keys.revoke(keyId)
      break
    case 'repair':
      await keys.check(true)
  }
}

/** How many commands ended in which way, and how many keys were left to be repaired. */
const count = { done: 0, refused: 0, killed: 0, repaired: 0 }

/** A key that is revoked is neither rotated nor moved. */
const endOf = async (command: Promise<void>): Promise<'done' | 'refused' | 'killed'> => {
  const end = await command.then(
    () => 'done' as const,
    (error: unknown) => {
      if (error instanceof Killed) return 'killed' as const
      const isRefusal = error instanceof UserError && refusal.test(error.message)
      if (isRefusal) return 'refused' as const
      throw error
    },
  )
  count[end] += 1
  return end
}

const refusal = /is revoked\.|was not issued|API Gateway has no key/

const issueOne = async (keys: Keys): Promise<string> => {
  const { keys: administration, show } = keys.operator()
  return (await administration.issue(free, show)).record.keyId
}

/** Repairs what interruptions left, which is all that is wrong. */
const repair = async (keys: Keys): Promise<void> => {
  keys.time.advance(issueSeconds)
  const { findings } = await keys.operator().keys.check(true)
  expect(findings.filter(({ isRepaired }) => !isRepaired)).toEqual([])
  await expectWhole(keys)
  expect((await keys.operator().keys.check(false)).findings).toEqual([])
  count.repaired += findings.length
}

describeOnEachEngine('a command for a key', (engine) => {
  afterAll(() => {
    const { done, refused, killed, repaired } = count
    console.log(
      `${engine.name}: ${done + refused + killed} commands, ${killed} of them killed; ${repaired} keys repaired, none left`,
    )
    Object.assign(count, { done: 0, refused: 0, killed: 0, repaired: 0 })
  })

  it.each(commands)(
    '%s, leaves nothing that a check does not repair, before whichever call it is killed',
    async (command) => {
      const keys = await openKeys(engine)
      let end = ''
      let steps = 0
      for (; end !== 'done'; steps += 1) {
        const keyId = await issueOne(keys)
        // Something to repair.
        if (command === 'repair') await endOf(carryOut(keys.operator({ steps: 2 }), 'issue', keyId))
        end = await endOf(carryOut(keys.operator({ steps }), command, keyId))
        await repair(keys)
      }
      expect(steps).toBeGreaterThan(3)
    },
  )

  it('issue, shows each key before it works for longer than the command may take', async () => {
    const keys = await openKeys(engine)
    for (let steps = 0; steps < 4; steps += 1) await endOf(carryOut(keys.operator({ steps }), 'issue', ''))
    expect((await keys.table.list()).length).toBeGreaterThan(0)
    keys.time.advance(issueSeconds)
    expect((await bothSides(keys)).usable.size).toBe(0)
  })

  it('move, beside a revoke leaves nothing at API Gateway, wherever it is killed', async () => {
    const keys = await openKeys(engine)
    for (let before = 0; before < mostSteps; before += 1) {
      for (let steps = before + 1; steps <= mostSteps; steps += 1) {
        const keyId = await issueOne(keys)
        let isRevoked = false
        const run = async () => {
          await carryOut(keys.operator(), 'revoke', keyId)
          isRevoked = true
        }
        await endOf(carryOut(keys.operator({ steps, interlude: { before, run } }), 'move to pro', keyId))
        if (!isRevoked) await run()
        expect((await bothSides(keys)).atGateway).toEqual(new Map())
      }
    }
  })

  it('move, changes no key that is revoked before the record is moved', async () => {
    const keys = await openKeys(engine)
    const keyId = await issueOne(keys)
    const revoke = { before: 2, run: () => carryOut(keys.operator(), 'revoke', keyId) }
    await expect(carryOut(keys.operator({ interlude: revoke }), 'move to pro', keyId)).rejects.toThrow('is revoked.')
    expect(await keys.operator().keys.show(keyId)).toMatchObject({ state: 'revoked', plan: 'free' })
  })

  it.each(changes.flatMap((one) => changes.map((other) => [one, other] as const)))(
    '%s, leaves nothing when a whole %s comes before any of its calls',
    async (one, other) => {
      const keys = await openKeys(engine)
      for (let before = 0, isOver = false; !isOver; before += 1) {
        const keyId = await issueOne(keys)
        const { keyHash = '' } = (await keys.table.find(keyId)) ?? {}
        if (one === 'repair') await keys.edgeKeys.remove(keyHash)
        isOver = true
        const run = async () => {
          isOver = false
          await endOf(carryOut(keys.operator(), other, keyId))
        }
        await endOf(carryOut(keys.operator({ interlude: { before, run } }), one, keyId))
        await expectWhole(keys)
      }
    },
  )

  it('beside others, leaves nothing if none is killed, and else nothing that a check does not repair', {
    timeout,
  }, async () => {
    const life = fc.option(fc.nat(9), { nil: undefined })
    const raced = fc.array(fc.record({ command: fc.constantFrom(...commands), steps: life }), {
      minLength: commandsOfRace,
      maxLength: commandsOfRace,
    })
    const property = fc.asyncProperty(fc.scheduler(), raced, async (scheduler, given) => {
      const keys = await openKeys(engine)
      const keyId = await issueOne(keys)
      const turns = new Turns(scheduler)
      const ends = await turns.run(
        given.map(({ command, steps }) => () => {
          const operator = keys.operator({ turns, ...(steps !== undefined && { steps }) })
          return endOf(carryOut(operator, command, keyId))
        }),
      )
      if (!ends.includes('killed')) await expectWhole(keys)
      await repair(keys)
    })
    await fc.assert(property, options)
  })
})
