import fc from 'fast-check'
import { expect } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { KeyAdministration, type ReplacedKey } from '../../../../../infra/operations/keys/administration.ts'
import type { ApiKeyRecord } from '../../../../../shared/api-keys/api-key-record.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createStoredKey } from '../../../../fixtures/api-key-record.ts'
import { createMemoryAudit } from '../../../../fixtures/audit.ts'
import { describeOnEachEngine, type RunningEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { createClientInTurns, itHoldsInEachOrder, lostResponses, type Turns } from '../../../../fixtures/turns.ts'

/** Number of orders. `PET_KEY_COMMANDS=1000` tries more. In a third of them the operators are killed. */
const orderCount = Number(process.env['PET_KEY_COMMANDS'] ?? chooseBySize(30, 150))
const killedOrderCount = Math.ceil(orderCount / 3)

/** A command that an operator runs on the key. */
interface Command {
  readonly name: string
  /** Attributes of the key that the command changes, as it reports them. */
  readonly reportedAttributes: { readonly [Name in keyof ApiKeyRecord]?: unknown }
  readonly run: (keys: KeyAdministration, keyId: string) => Promise<unknown>
}

const rotate: Command = {
  name: 'rotate',
  reportedAttributes: { successor: expect.any(String), overlapEndsAt: expect.any(Number) },
  run: (keys, keyId) => keys.rotate(keyId, { overlapSeconds: 60 }),
}
const moveToPro: Command = {
  name: 'move to pro',
  reportedAttributes: { plan: 'pro', minuteLimit: 300 },
  run: (keys, keyId) => keys.move(keyId, 'pro', fixedPlans.pro),
}
const moveToBusiness: Command = {
  name: 'move to business',
  reportedAttributes: { plan: 'business', minuteLimit: 1_000 },
  run: (keys, keyId) => keys.move(keyId, 'business', fixedPlans.business),
}
const editOwner: Command = {
  name: 'edit the owner',
  reportedAttributes: { owner: 'Umbrella' },
  run: (keys, keyId) => keys.edit(keyId, { owner: 'Umbrella' }),
}
const removeContact: Command = {
  name: 'remove the contact',
  reportedAttributes: { contact: undefined },
  run: (keys, keyId) => keys.edit(keyId, { contact: undefined }),
}
const unban: Command = {
  name: 'unban',
  reportedAttributes: { bannedUntil: 0 },
  run: (keys, keyId) => keys.unban(keyId),
}
const revoke: Command = {
  name: 'revoke',
  reportedAttributes: { state: 'revoked' },
  run: (keys, keyId) => keys.revoke(keyId),
}

/** Attributes that the commands change. */
const changedNames = ['successor', 'overlapEndsAt', 'plan', 'minuteLimit', 'owner', 'contact', 'bannedUntil', 'state']

/** Two to four commands. Rotations and moves, which exclude each other, are drawn more often. */
const commandLists = fc.array(
  fc.constantFrom(
    rotate,
    rotate,
    moveToPro,
    moveToPro,
    moveToBusiness,
    moveToBusiness,
    editOwner,
    removeContact,
    unban,
    revoke,
  ),
  { minLength: 2, maxLength: 4 },
)

/** Number of calls after which the process of every operator is killed. */
const callLimits = fc.nat(4)

/** A command that has ended. */
interface EndedCommand {
  readonly command: Command
  /** Report of the key; undefined if the command has failed. */
  readonly report: Partial<ApiKeyRecord> | undefined
}

/** Runs a command as an operator does. A conflict and a killed process are expected failures. */
const runCommand = async (command: Command, keys: KeyAdministration, keyId: string): Promise<unknown> => {
  try {
    return await command.run(keys, keyId)
  } catch (error) {
    const isKilled = error instanceof Error && error.message === 'killed'
    if (error instanceof UserError || isKilled) return undefined
    throw error
  }
}

interface Operators {
  readonly engine: RunningEngine
  readonly service: Service
  readonly keyId: string
  readonly commands: readonly Command[]
  readonly isLost: () => boolean
  readonly callsBeforeKill: number | undefined
}

/** Runs the commands at once, each by an operator of its own. */
const runCommands = (turns: Turns, { engine, service, keyId, commands, isLost, callsBeforeKill }: Operators) => {
  const operators = commands.map((command) => async (): Promise<EndedCommand> => {
    let replaced: ReplacedKey | undefined
    const keys = new KeyAdministration(
      {
        name: 'local',
        database: createClientInTurns(engine, turns, { isLost, callsBeforeKill }),
        tables: service.tables,
      },
      {
        clock: service.time.clock,
        audit: createMemoryAudit(),
        showKey: async (_issued, replacedRecord) => {
          replaced = replacedRecord
        },
      },
    )
    const result = await runCommand(command, keys, keyId)
    // A rotation reports the replaced key when it shows the new one. Other commands return the changed key.
    return { command, report: result === undefined ? undefined : (replaced ?? Object(result)) }
  })
  return turns.run(operators)
}

/** Opens a service with a banned key of the plan free. */
const openServiceWithBannedKey = async (engine: RunningEngine) => {
  const service = await openService(engine)
  const issued = await service.keys.issue({
    owner: 'Acme',
    contact: 'a@example.org',
    plan: 'free',
    limits: fixedPlans.free,
  })
  const bannedUntil = service.time.clock() / 1_000 + 600
  await service.keyTable.change(createStoredKey(issued), { bannedUntil })
  return { service, keyId: issued.record.keyId, bannedUntil }
}

const findSuccessors = async ({ keys }: Service, keyId: string): Promise<readonly ApiKeyRecord[]> => {
  const list = await keys.list()
  return list.keys.filter(({ predecessor }) => predecessor === keyId)
}

/** Expects that a key has no part of a command whose other parts it lacks. */
const expectNothingHalfDone = async (service: Service, keyId: string, bannedUntil: number): Promise<void> => {
  const record = await service.keys.show(keyId)
  const successors = await findSuccessors(service, keyId)
  expect(successors.length, 'a key has at most one successor').toBeLessThanOrEqual(1)
  expect(record.successor, 'a key names its successor').toBe(successors[0]?.keyId)
  expect(record.overlapEndsAt !== undefined, 'a key with a successor has an overlap').toBe(successors.length === 1)
  expect(record.minuteLimit, 'a key has the limit of its plan').toBe(
    fixedPlans[record.plan as keyof typeof fixedPlans].perMinute,
  )
  expect([0, bannedUntil], 'a key is banned as before, or unbanned').toContain(record.bannedUntil)
}

describeOnEachEngine('operators who change one key at once', (engine) => {
  itHoldsInEachOrder(
    'operators who change one key at once leave nothing half done, even if responses are lost and processes are killed',
    [commandLists, lostResponses, callLimits],
    async (turns, commands, isLost, callsBeforeKill) => {
      const { service, keyId, bannedUntil } = await openServiceWithBannedKey(engine)

      await runCommands(turns, { engine, service, keyId, commands, isLost, callsBeforeKill })

      await expectNothingHalfDone(service, keyId, bannedUntil)
    },
    killedOrderCount,
  )

  itHoldsInEachOrder(
    'operators who change one key at once get true reports, and leave nothing half done, even if responses are lost',
    [commandLists, lostResponses],
    async (turns, commands, isLost) => {
      const { service, keyId, bannedUntil } = await openServiceWithBannedKey(engine)
      const before = await service.keys.show(keyId)

      const endedCommands = await runCommands(turns, {
        engine,
        service,
        keyId,
        commands,
        isLost,
        callsBeforeKill: undefined,
      })

      await expectNothingHalfDone(service, keyId, bannedUntil)
      const doneCommands = endedCommands.filter(({ report }) => report !== undefined)
      for (const { command, report } of doneCommands) {
        const names = Object.keys(command.reportedAttributes)
        const reported = names.map((name) => [name, Reflect.get(Object(report), name)])
        expect(Object.fromEntries(reported), `${command.name} reports what it has changed`).toEqual(
          command.reportedAttributes,
        )
      }

      // An attribute that several commands have changed has the value of one of their reports. Others are as before.
      const record = await service.keys.show(keyId)
      for (const name of changedNames) {
        const reports = doneCommands
          .filter(({ command }) => name in command.reportedAttributes)
          .map(({ report }) => report)
        const possibleRecords = reports.length === 0 ? [before] : reports
        const possibleValues = possibleRecords.map((possible) => Reflect.get(Object(possible), name))
        expect(possibleValues, `the key has a reported ${name}`).toContainEqual(Reflect.get(record, name))
      }

      // The second of two rotations is a conflict, and its key is not issued.
      const successors = await findSuccessors(service, keyId)
      const doneRotations = doneCommands.filter(({ command }) => command === rotate)
      expect(doneRotations.length, 'each rotation that succeeds has issued a successor').toBe(successors.length)
    },
    orderCount - killedOrderCount,
  )
})
