import fc from 'fast-check'
import { expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { type KeyAdministration, keyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import type { ApiKeyRecord } from '../../../../../shared/api-keys/api-key-record.ts'
import { KeyTable } from '../../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService } from '../../../../fixtures/service.ts'
import { sized } from '../../../../fixtures/size.ts'
import { clientInTurns, losses, Turns } from '../../../../fixtures/turns.ts'

/** `PET_KEY_COMMANDS=1000` has more operators at once. */
const numRuns = Number(process.env['PET_KEY_COMMANDS'] ?? sized(30, 300))
const options = { numRuns, endOnFailure: true }

const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const

/** What a command reports of the key that it changes. A rotation reports both keys before it writes. */
const commands = {
  rotate: async (keys, keyId) => {
    const shown: (ApiKeyRecord | undefined)[] = []
    const issued = await keys.rotate(keyId, { overlapSeconds: 60 }, async (_issued, old) => void shown.push(old))
    return { successor: issued.record.keyId, ...pick(shown[0], ['overlapEndsAt']) }
  },
  'move to pro': async (keys, keyId) => pick(await keys.move(keyId, 'pro', fixedPlans.pro), ['plan', 'minuteLimit']),
  'move to business': async (keys, keyId) =>
    pick(await keys.move(keyId, 'business', fixedPlans.business), ['plan', 'minuteLimit']),
  'edit the owner': async (keys, keyId) => pick(await keys.edit(keyId, { owner: 'Umbrella' }), ['owner']),
  'clear the contact': async (keys, keyId) => pick(await keys.edit(keyId, { contact: undefined }), ['contact']),
  unban: async (keys, keyId) => pick(await keys.unban(keyId), ['bannedUntil']),
  revoke: async (keys, keyId) => pick(await keys.revoke(keyId), ['state']),
} satisfies Readonly<
  Record<string, (keys: KeyAdministration, keyId: string) => Promise<Readonly<Record<string, unknown>>>>
>

type Command = keyof typeof commands

/** What the key is before. */
const unchanged = {
  ...{ plan: 'free', minuteLimit: fixedPlans.free.perMinute, owner: 'Acme', contact: 'a@example.org' },
  ...{ state: 'active', successor: undefined, overlapEndsAt: undefined },
}

const pick = (record: ApiKeyRecord | undefined, names: readonly (keyof ApiKeyRecord)[]) =>
  Object.fromEntries(names.map((name) => [name, record?.[name]]))

// The keys of the table are just the names.
const some = fc.array(fc.constantFrom('rotate' as const, ...(Object.keys(commands) as Command[])), {
  minLength: 2,
  maxLength: 4,
})

describeOnEachEngine('operators who change one key at once', (engine) => {
  it('are each told what is so, and leave nothing half done, whichever responses get lost and wherever one is killed', {
    timeout: 300_000 + 2_000 * numRuns,
  }, async () => {
    const kill = fc.oneof(fc.constant(undefined), fc.nat(4))
    const property = fc.asyncProperty(fc.scheduler(), some, losses, kill, async (scheduler, names, isLost, calls) => {
      const service = await openService(engine)
      const issued = await service.keys.issue({ ...free, contact: 'a@example.org' })
      const { keyId } = issued.record
      const bannedUntil = service.time.clock() / 1_000 + 600
      await service.table.change(issued, { bannedUntil })
      const turns = new Turns(scheduler)
      const ended = await turns.run(
        names.map((name) => async () => {
          const table = new KeyTable(clientInTurns(engine, turns, isLost, calls), service.tables.apiKeys)
          const keys = keyAdministration({ table, prefix: 'pet_test_', clock: service.time.clock })
          const report = await commands[name](keys, keyId).catch((error: unknown) => {
            if (error instanceof UserError || (error instanceof Error && error.message === 'killed')) return undefined
            throw error
          })
          return { name, report }
        }),
      )
      const record = await service.keys.show(keyId)
      const successors = (await service.keys.list()).filter(({ predecessor }) => predecessor === keyId)
      expect(successors.length).toBeLessThanOrEqual(1)
      expect(record.successor).toBe(successors[0]?.keyId)
      expect(record.overlapEndsAt === undefined).toBe(successors.length === 0)
      expect(record.minuteLimit).toBe(fixedPlans[record.plan as keyof typeof fixedPlans].perMinute)
      expect([0, bannedUntil]).toContain(record.bannedUntil)
      // A killed one tells nobody what it has done.
      if (calls !== undefined) return
      // Of two that were done one after the other, the record has what the last one said. Of a refused one it has nothing.
      const reported = ended.flatMap(({ report = {} }) => Object.entries(report))
      for (const [name, before] of Object.entries({ ...unchanged, bannedUntil })) {
        const said = reported.flatMap(([attribute, value]) => (attribute === name ? [value] : []))
        expect(said.length === 0 ? [before] : said).toContainEqual(Reflect.get(record, name))
      }
      // Of two rotations without --again, one is refused, and its key was not issued.
      const rotated = ended.flatMap(({ name, report }) => (name === 'rotate' && report ? [report['successor']] : []))
      expect(successors.map((successor) => successor.keyId)).toEqual(rotated)
    })
    await fc.assert(property, options)
  })
})
