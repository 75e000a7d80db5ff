import fc from 'fast-check'
import { expect } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { KeyAdministration, type ShowKey } from '../../../../../infra/operations/keys/administration.ts'
import type { ApiKeyRecord } from '../../../../../shared/api-keys/api-key-record.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService } from '../../../../fixtures/service.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { createClientInTurns, itHoldsInEachOrder, lostResponses } from '../../../../fixtures/turns.ts'

/** `PET_KEY_COMMANDS=1000` has more operators at once. */
const numRuns = Number(process.env['PET_KEY_COMMANDS'] ?? chooseBySize(30, 150))

interface Command {
  /** What it reports of the key that it changes. */
  readonly says: { readonly [Name in keyof ApiKeyRecord]?: unknown }
  readonly act: (keys: KeyAdministration, keyId: string) => Promise<object>
}

const moveTo = (plan: keyof typeof fixedPlans): Command => ({
  says: { plan, minuteLimit: fixedPlans[plan].perMinute },
  act: (keys, keyId) => keys.move(keyId, plan, fixedPlans[plan]),
})
const rotate: Command = {
  says: { successor: expect.any(String), overlapEndsAt: expect.any(Number) },
  act: (keys, keyId) => keys.rotate(keyId, { overlapSeconds: 60 }),
}
const commands: readonly Command[] = [
  // Those that exclude each other meet more often.
  ...[rotate, rotate, moveTo('pro'), moveTo('pro'), moveTo('business'), moveTo('business')],
  { says: { owner: 'Umbrella' }, act: (keys, keyId) => keys.edit(keyId, { owner: 'Umbrella' }) },
  { says: { contact: undefined }, act: (keys, keyId) => keys.edit(keyId, { contact: undefined }) },
  { says: { bannedUntil: 0 }, act: (keys, keyId) => keys.unban(keyId) },
  { says: { state: 'revoked' }, act: (keys, keyId) => keys.revoke(keyId) },
]

const some = fc.array(fc.constantFrom(...commands), { minLength: 2, maxLength: 4 })
const killedAfter = fc.oneof(fc.constant(undefined), fc.constant(undefined), fc.nat(4))

describeOnEachEngine('operators who change one key at once', (engine) => {
  itHoldsInEachOrder(
    'are each told what is so, and leave nothing half done, whichever responses get lost and wherever one is killed',
    [some, lostResponses, killedAfter],
    async (turns, chosen, isLost, calls) => {
      const { tables, time, keys, keyTable } = await openService(engine)
      const order = { owner: 'Acme', contact: 'a@example.org', plan: 'free', allowance: fixedPlans.free } as const
      const issued = await keys.issue(order)
      const { keyId } = issued.record
      const bannedUntil = time.clock() / 1_000 + 600
      await keyTable.change(issued, { bannedUntil })
      const before = await keys.show(keyId)
      const ended = await turns.run(
        chosen.map((command) => async () => {
          const shown: unknown[] = []
          const show: ShowKey = async (_issued, replaced) => void shown.push(replaced)
          const database = createClientInTurns(engine, turns, isLost, calls)
          const operator = new KeyAdministration({ name: 'local', database, tables }, { clock: time.clock, show })
          const changed = await command.act(operator, keyId).catch((error: unknown): undefined => {
            if (!(error instanceof UserError || (error instanceof Error && error.message === 'killed'))) throw error
          })
          return { command, reported: changed && Object(shown[0] ?? changed) }
        }),
      )
      const record = await keys.show(keyId)
      const successors = (await keys.list()).filter(({ predecessor }) => predecessor === keyId)
      expect(successors.length).toBeLessThanOrEqual(1)
      expect(record.successor).toBe(successors[0]?.keyId)
      expect(record.overlapEndsAt === undefined).toBe(successors.length === 0)
      expect(record.minuteLimit).toBe(fixedPlans[record.plan as keyof typeof fixedPlans].perMinute)
      expect([0, bannedUntil]).toContain(record.bannedUntil)
      // A killed one tells nobody what it has done.
      if (calls !== undefined) return
      const done = ended.filter(({ reported }) => reported)
      for (const { command, reported } of done) expect(reported).toMatchObject(command.says)
      // Of two that were done one after the other, the record has what the last one said. Of a refused one it has nothing.
      for (const name of commands.flatMap(({ says }) => Object.keys(says))) {
        const reports = done.filter(({ command }) => name in command.says).map(({ reported }) => reported)
        const said = (reports.length === 0 ? [before] : reports).map((one) => one[name])
        expect(said).toContainEqual(Reflect.get(record, name))
      }
      // Of two rotations without --again, one is refused, and its key was not issued.
      expect(done.filter(({ command }) => command === rotate)).toHaveLength(successors.length)
    },
    numRuns,
  )
})
