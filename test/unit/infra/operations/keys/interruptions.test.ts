import fc from 'fast-check'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { sized } from '../../../../fixtures/size.ts'
import { Turns } from '../../../../fixtures/turns.ts'
import { expectWhole, free, type Keys, Killed, type Operator, openKeys } from './operators.ts'

/** `PET_KEY_COMMANDS=1000` interrupts and races more of them. */
const commandCount = Number(process.env['PET_KEY_COMMANDS'] ?? sized(2, 300))
const commandsOfRace = 2
const options = { numRuns: Math.ceil(commandCount / commandsOfRace), seed: 20_261_121, endOnFailure: true }
/** Milliseconds: each race has tables of its own. */
const timeout = 300_000 + 3_000 * commandCount

/** Longer than all keys of a test live. */
const overlapSeconds = 30 * 86_400

const commands = {
  issue: ({ keys, show }) => keys.issue(free, show),
  rotate: ({ keys, show }, keyId) => keys.rotate(keyId, overlapSeconds, show, true),
  'move to pro': ({ keys }, keyId) => keys.move(keyId, 'pro', fixedPlans.pro),
  'move to business': ({ keys }, keyId) => keys.move(keyId, 'business', fixedPlans.business),
  edit: ({ keys }, keyId) => keys.edit(keyId, { owner: 'Somebody else' }),
  revoke: ({ keys }, keyId) => keys.revoke(keyId),
  'revoke all': ({ keys }) => keys.revokeAll(() => undefined),
  repair: ({ keys }) => keys.check(true),
} satisfies Readonly<Record<string, (operator: Operator, keyId: string) => Promise<unknown>>>

type Command = keyof typeof commands

// The keys of the table are just the names.
const names = Object.keys(commands) as Command[]

/** Each of these is killed at each of its calls. */
const killed = sized<readonly Command[]>(['rotate', 'repair'], names)

/** The second is carried out within the first. */
const raced = sized<readonly (readonly [Command, Command])[]>(
  [['move to pro', 'revoke']],
  names.flatMap((one) => names.map((other) => [one, other] as const)),
)

/** How many commands ended in which way, and how many keys were left to be repaired. */
const count = { done: 0, refused: 0, killed: 0, repaired: 0 }

const endOf = async (command: Command, operator: Operator, keyId: string): Promise<'done' | 'refused' | 'killed'> => {
  const end = await commands[command](operator, keyId).then(
    () => 'done' as const,
    (error: unknown) => {
      if (error instanceof Killed) return 'killed' as const
      // Another command has revoked the key, or has just done the same.
      if (error instanceof UserError && /revoked|has this plan/.test(error.message)) return 'refused' as const
      throw error
    },
  )
  count[end] += 1
  return end
}

/** A key that a customer uses: it has its own API Gateway key at the edge, and has made a request. */
const issueOne = async (keys: Keys): Promise<string> => {
  const { keys: administration, show } = keys.operator()
  const { keyId } = (await administration.issue(free, show)).record
  keys.time.advance(3_600)
  return keyId
}

/** Repairs what interruptions left, which is all that is wrong, and which the records tell. */
const repair = async (keys: Keys): Promise<void> => {
  const { keys: administration } = keys.operator()
  const told = (await administration.unfinished()).map(({ keyId }) => keyId)
  const { findings } = await administration.check(true)
  expect(findings.filter(({ repaired }) => !repaired)).toEqual([])
  expect(findings.map(({ keyId }) => keyId)).toEqual(expect.arrayContaining(told))
  await expectWhole(keys)
  expect((await administration.check(false)).findings).toEqual([])
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

  let keys: Keys
  beforeEach(async () => {
    keys = await openKeys(engine)
  })

  it.each(killed)(
    '%s, stops no key and leaves nothing that a check does not repair, wherever it is killed',
    async (command) => {
      const keyIds: string[] = []
      for (let end = '', steps = 0; end !== 'done'; steps += 1) {
        const keyId = await issueOne(keys)
        keyIds.push(keyId)
        // Something to repair.
        if (command === 'repair') await endOf('move to pro', keys.operator({ steps: 4 }), keyId)
        end = await endOf(command, keys.operator({ steps }), keyId)
        if (command === 'repair') await repair(keys)
      }
      await repair(keys)
      const states = await Promise.all(keyIds.map(async (keyId) => (await keys.operator().keys.show(keyId)).state))
      expect(states.length).toBeGreaterThan(3)
      expect(states.filter((state) => state === 'revoked' && !command.startsWith('revoke'))).toEqual([])
    },
  )

  it.each(raced)('%s, leaves nothing when a whole %s comes before any of its calls', async (one, other) => {
    for (let before = 0, isOver = false; !isOver; before += 1) {
      const keyId = await issueOne(keys)
      isOver = true
      const run = async () => {
        isOver = false
        await endOf(other, keys.operator(), keyId)
      }
      await endOf(one, keys.operator({ interlude: { before, run } }), keyId)
    }
    await expectWhole(keys)
  })

  it('beside others, leaves nothing if none is killed, and else nothing that a check does not repair', {
    timeout,
  }, async () => {
    const life = fc.option(fc.nat(9), { nil: undefined })
    const pair = fc.array(fc.record({ command: fc.constantFrom(...names), steps: life }), {
      minLength: commandsOfRace,
      maxLength: commandsOfRace,
    })
    const property = fc.asyncProperty(fc.scheduler(), pair, async (scheduler, given) => {
      const keys = await openKeys(engine)
      const keyId = await issueOne(keys)
      const turns = new Turns(scheduler)
      const ends = await turns.run(
        given.map(({ command, steps }) => () => {
          const operator = keys.operator({ turns, ...(steps !== undefined && { steps }) })
          return endOf(command, operator, keyId)
        }),
      )
      if (!ends.includes('killed')) await expectWhole(keys)
      await repair(keys)
    })
    await fc.assert(property, options)
  })
})
