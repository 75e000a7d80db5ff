import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditLine } from '../../../../../infra/operations/environment/audit.ts'
import { getAuditFile } from '../../../../../infra/operations/environment/audit-trail.ts'
import { createKeysTool } from '../../../../../infra/operations/keys/keys-tool.ts'
import { PetTable } from '../../../../../infra/operations/pets/pet-table.ts'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import { nameKey } from '../../../../../shared/api-keys/api-key-record.ts'
import { KeyTable } from '../../../../../shared/api-keys/key-table.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { runToolInProcess } from '../../../../fixtures/commands.ts'
import {
  type CommandFaults,
  drawCommandFaults,
  type EndedCommand,
  type Kill,
  noFaults,
  openFaultyEnvironment,
} from '../../../../fixtures/faulty-environment.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'

/** Number of commands that meet faults. `PET_COMMAND_FAULTS=1000` tries more. */
const faultCount = Number(process.env['PET_COMMAND_FAULTS'] ?? chooseBySize(10, 200))

/** Number of commands that are killed. `PET_COMMAND_KILLS=100` kills more. */
const killCount = Number(process.env['PET_COMMAND_KILLS'] ?? chooseBySize(1, 20))

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'available' }

/** Creates an environment with two pets and a key, whose database and disk can fail. */
const openWorld = async () => {
  const environment = await openFaultyEnvironment()
  const { client, colleague, dataFolder, tables } = environment
  await colleague.store(bella)
  await colleague.store(milo)
  const issue = ['issue', '--plan', 'free', '--owner', 'Acme', '--json']
  const issued = await runToolInProcess(createKeysTool(), [...issue, ...environment.options])
  const { keyId } = JSON.parse(issued.output)
  rmSync(getAuditFile(dataFolder))

  /** Reads all keys and pets as text, by their ids. */
  const readState = async (): Promise<ReadonlyMap<string, string>> => {
    const keys = await new KeyTable(client, tables.apiKeys).list()
    const pets = await new PetTable(client, tables.pets).findItems([bella.id, milo.id])
    const state = new Map<string, string>()
    for (const key of keys) state.set(nameKey(key), JSON.stringify(key))
    for (const [id, { name, status }] of pets) state.set(`${id}`, JSON.stringify({ name, status }))
    return state
  }

  return { ...environment, keyId: String(keyId), readState }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Commands whose words need the id of the key. */
const commands: Readonly<Record<string, (keyId: string) => readonly string[]>> = {
  issue: () => ['keys', 'issue', '--plan', 'pro', '--owner', 'Umbrella'],
  'issue as JSON': () => ['keys', 'issue', '--plan', 'pro', '--owner', 'Umbrella', '--json'],
  rotate: (keyId) => ['keys', 'rotate', keyId],
  'rotate as JSON': (keyId) => ['keys', 'rotate', keyId, '--json'],
  move: (keyId) => ['keys', 'move', keyId, '--plan', 'pro'],
  revoke: (keyId) => ['keys', 'revoke', keyId],
  'revoke all': () => ['keys', 'revoke', '--all', '--yes', 'local'],
  'edit the end': (keyId) => ['keys', 'edit', keyId, '--expires', '2999-12-31'],
}

/** Finds the outcomes in the audit of all changes of an id. `begun` stands for a change without another line. */
const findOutcomes = (lines: readonly AuditLine[], id: string): ReadonlySet<string> => {
  const outcomes = new Map<string, string>()
  for (const line of lines.filter(({ ids }) => ids.includes(id))) outcomes.set(line.changeId, line.outcome)
  return new Set(outcomes.values())
}

/** A command that has ended, with the keys and pets before and after it. */
interface Observation extends EndedCommand {
  readonly before: ReadonlyMap<string, string>
  readonly after: ReadonlyMap<string, string>
  readonly lines: readonly AuditLine[]
}

const listChangedIds = ({ before, after }: Observation): readonly string[] => {
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].filter((id) => before.get(id) !== after.get(id)).toSorted()
}

const listRecordedIds = ({ lines }: Observation): readonly string[] =>
  [...new Set(lines.flatMap(({ ids }) => ids))].toSorted()

const expectTrueAudit = (observation: Observation): void => {
  const changedIds = listChangedIds(observation)
  const recordedIds = listRecordedIds(observation)
  expect(recordedIds, 'the audit has every change').toEqual(expect.arrayContaining([...changedIds]))

  for (const id of recordedIds) {
    const outcomes = findOutcomes(observation.lines, id)
    if (outcomes.has('unknown') || outcomes.has('begun')) continue
    expect(outcomes.has('done'), `the audit says whether ${id} has changed`).toBe(changedIds.includes(id))
  }
}

const expectTrueExitCode = (observation: Observation): void => {
  if (observation.exitCode !== 0) return
  const changedIds = listChangedIds(observation)
  expect(changedIds, 'a command that succeeds has changed something').not.toEqual([])
  expect(changedIds, 'a command that succeeds has made its changes').toEqual(listRecordedIds(observation))
}

/** Expects that the output says whether the key that it shows was issued. A killed command says nothing more. */
const expectTrueOutput = ({ output, errors, exitCode, after }: Observation): void => {
  const showsKey = /pet_test_\w+/.test(output)
  if (!showsKey || exitCode === null) return

  const keyId = /key_\w+/.exec(output)?.[0] ?? ''
  const isIssued = after.has(keyId)
  if (exitCode === 0) expect(isIssued, 'a command that succeeds has issued its key').toBe(true)
  else expect(errors, 'a command that fails names its key').toContain(`The new API key ${keyId} was not issued`)
  if (exitCode !== 0 && isIssued) expect(errors, 'a key that was issued is in doubt').toContain('unless "show ')

  if (!output.startsWith('{')) return
  const possibleOutcomes = isIssued ? ['done', 'unknown'] : ['failed', 'unknown']
  expect(possibleOutcomes, 'the JSON says whether the key was issued').toContain(JSON.parse(output).outcome)
}

/** Expects that the last line of a command that fails says how many pets it has changed. */
const expectTrueLastLine = (observation: Observation): void => {
  if (observation.exitCode === 0 || observation.exitCode === null) return
  const changedIds = listChangedIds(observation)
  const lastLine = observation.errors.trimEnd().split('\n').at(-1) ?? ''
  if (lastLine.includes('Nothing is changed.')) expect(changedIds, 'nothing is changed').toEqual([])

  const doneCount = /(\d+) of \d+ pets? done\./.exec(lastLine)?.[1]
  if (doneCount !== undefined) expect(changedIds.length, 'pets that are said to be done').toBe(Number(doneCount))
}

/** Runs a command, and expects that the audit, the exit code and the output say what has become of its changes. */
const expectTruth = async (world: World, run: () => Promise<EndedCommand>): Promise<void> => {
  const before = await world.readState()
  const ended = await run()
  world.endFaults()
  const after = await world.readState()

  const observation = { ...ended, before, after, lines: await world.readAuditLines() }
  expectTrueAudit(observation)
  expectTrueExitCode(observation)
  expectTrueOutput(observation)
  expectTrueLastLine(observation)
}

const commandNames = fc.constantFrom(...Object.keys(commands))

const getWords = (name: string, { keyId, options }: World): readonly string[] => [
  ...(commands[name]?.(keyId) ?? []),
  ...options,
]

const expectTruthDespiteFaults = async (name: string, faults: CommandFaults): Promise<void> => {
  await using world = await openWorld()
  world.failCalls(faults)
  const [script, ...words] = getWords(name, world)
  const tool = script === 'keys' ? createKeysTool() : createPetsTool()
  await expectTruth(world, () => runToolInProcess(tool, words))
}

const expectTruthDespiteKill = async (name: string, kill: Kill): Promise<void> => {
  await using world = await openWorld()
  const [script, ...words] = getWords(name, world)
  await expectTruth(world, async () => {
    const started = startNode([`infra/operations/${script}/${script}.ts`, ...words])
    world.killAtCall(started.child, kill)
    const exitCode = await started.ended
    return { output: started.output(), errors: started.errors(), exitCode }
  })
}

it('a command that meets faults, and its audit, say what it has changed', {
  timeout: 60_000 + faultCount * 10_000,
}, async () => {
  const property = fc.asyncProperty(commandNames, drawCommandFaults(4), expectTruthDespiteFaults)
  await fc.assert(property, { numRuns: faultCount, endOnFailure: true })
})

it('the audit of a command that is killed says what may have changed', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  const kills = fc.record({ killedAt: fc.integer({ min: 1, max: 4 }), isLastCallMade: fc.boolean() })
  const property = fc.asyncProperty(commandNames, kills, expectTruthDespiteKill)
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})

describe('a rotation', () => {
  /** Number of the call with the transaction. The list of the keys is the first call. */
  const transactionCall = 2

  const faults = ['expired credentials', 'internal error', 'request lost', 'response lost'] as const

  it.each(faults)('a rotation whose transaction has the fault "%s" once says what it has changed', async (fault) => {
    const faultsOfCalls = { ...noFaults, fault, firstFault: transactionCall, faultyCalls: 1 }
    await expectTruthDespiteFaults('rotate', faultsOfCalls)
    await expectTruthDespiteFaults('rotate as JSON', faultsOfCalls)
  })

  it.each(faults)(
    'a rotation whose transaction has the fault "%s", and whose credentials expire then, says what it has changed',
    async (fault) => {
      const faultsOfCalls = { ...noFaults, fault, firstFault: transactionCall, faultyCalls: 1, expires: true }
      await expectTruthDespiteFaults('rotate', faultsOfCalls)
      await expectTruthDespiteFaults('rotate as JSON', faultsOfCalls)
    },
  )

  it('the audit of a rotation that is killed before its transaction says what may have changed', async () => {
    await expectTruthDespiteKill('rotate', { killedAt: transactionCall, isLastCallMade: false })
  })

  it('the audit of a rotation that is killed after its transaction says what may have changed', async () => {
    await expectTruthDespiteKill('rotate', { killedAt: transactionCall, isLastCallMade: true })
  })
})
