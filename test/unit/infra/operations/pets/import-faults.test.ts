import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AuditLine } from '../../../../../infra/operations/environment/audit.ts'
import { PetTable } from '../../../../../infra/operations/pets/pet-table.ts'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { runToolInProcess } from '../../../../fixtures/commands.ts'
import {
  drawCommandFaults,
  type EndedCommand,
  type Kill,
  openFaultyEnvironment,
} from '../../../../fixtures/faulty-environment.ts'
import { readJsonLines } from '../../../../fixtures/json-lines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

/** Number of imports that meet faults. `PET_COMMAND_FAULTS=1000` tries more. */
const faultCount = Number(process.env['PET_COMMAND_FAULTS'] ?? chooseBySize(10, 100))

/** Number of imports that are killed, or whose disk is full. `PET_COMMAND_KILLS=100` tries more. */
const killCount = Number(process.env['PET_COMMAND_KILLS'] ?? chooseBySize(3, 20))

/** Calls to DynamoDB that an import makes, and some that it repeats. */
const lastCall = 10

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'available' }
const rocky: Pet = { id: 7n, name: 'Rocky', categoryId: 1n, status: 'available' }

/** The edits of the file. Rocky is not edited. */
const soldBella: Pet = { ...bella, status: 'sold' }
const renamedMilo: Pet = { ...milo, name: 'Max' }

const newNames: readonly string[] = ['Nala', 'Simba', 'Zazu']

const rowCount = 6

/** Formats rows as JSON Lines. */
const formatRows = (rows: readonly object[]): string => rows.map((row) => `${stringifyExactJson(row)}\n`).join('')

/**
 * Creates an environment with three pets, and a file that edits two of them and adds three more.
 *
 * @param hasConflict whether somebody else has changed Milo since the export
 * @param resultName name of the result file
 */
const openWorld = async (hasConflict: boolean, resultName = 'result.jsonl') => {
  const environment = await openFaultyEnvironment()
  const { client, colleague, options, tables } = environment
  for (const pet of [bella, milo, rocky]) await colleague.store(pet)

  const folder = createTemporaryFolder()
  const file = join(folder, 'rows.jsonl')
  await runToolInProcess(createPetsTool(), ['export', '--out', file, ...options])
  const [rockyRow, miloRow, bellaRow] = readJsonLines(file)
  const editedRows = [rockyRow, { ...miloRow, name: renamedMilo.name }, { ...bellaRow, status: soldBella.status }]
  const newRows = newNames.map((name) => ({ name, categoryId: 1 }))
  writeFileSync(file, formatRows([...editedRows, ...newRows]))
  if (hasConflict) await colleague.store({ ...milo, categoryId: 2n })

  const resultFile = join(folder, resultName)
  return {
    ...environment,
    hasConflict,
    words: ['import', file, '--out', resultFile, ...options],
    resultFile,
    journalFile: `${resultFile}.importing`,

    /** Reads all pets and how often operators have changed each of them, by name. */
    readPets: async () => {
      const pets = await colleague.list()
      const items = await new PetTable(client, tables.pets).findItems(pets.map(({ id }) => id))
      return pets.map((pet) => ({ ...pet, changeCount: Number(items.get(pet.id)?.['changeCount']) }))
    },
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

type ReadPet = Awaited<ReturnType<World['readPets']>>[number]

/** An import that has ended, with the pets before and after it. */
interface EndedImport extends EndedCommand {
  readonly before: readonly ReadPet[]
  readonly after: readonly ReadPet[]
  /** All lines of the audit, also those of earlier runs. */
  readonly lines: readonly AuditLine[]
}

const isNew = ({ name }: Pet): boolean => newNames.includes(name)

/** Finds the pets that a run has added. */
const findAdded = ({ before, after }: EndedImport): readonly ReadPet[] =>
  after.filter(({ id }) => !before.some((pet) => pet.id === id))

/** Finds the pets that a run has changed. */
const findChanged = ({ before, after }: EndedImport): readonly ReadPet[] =>
  after.filter(({ id, changeCount }) => before.some((pet) => pet.id === id && pet.changeCount !== changeCount))

const expectSingleChanges = ({ hasConflict }: World, { after }: EndedImport): void => {
  const addedNames = after.filter(isNew).map(({ name }) => name)
  expect(new Set(addedNames).size, 'no pet is added twice').toBe(addedNames.length)

  const [bellaNow, miloNow, rockyNow] = after
  expect([
    { ...bella, changeCount: 1 },
    { ...soldBella, changeCount: 2 },
  ]).toContainEqual(bellaNow)
  const otherMilo = { ...milo, categoryId: 2n, changeCount: 2 }
  const possibleMilos = hasConflict
    ? [otherMilo]
    : [
        { ...milo, changeCount: 1 },
        { ...renamedMilo, changeCount: 2 },
      ]
  expect(possibleMilos).toContainEqual(miloNow)
  expect(rockyNow).toEqual({ ...rocky, changeCount: 1 })
}

/** Lists the last outcome in the audit of each change of an id. */
const listOutcomes = (lines: readonly AuditLine[], id: bigint): readonly string[] => {
  const outcomes = new Map<string, string>()
  for (const line of lines) {
    if (line.ids.includes(`${id}`)) outcomes.set(line.changeId, line.outcome)
  }
  return [...outcomes.values()]
}

const expectTrueAudit = (ended: EndedImport): void => {
  const { after, lines } = ended
  for (const { id, name } of after.filter(isNew)) {
    expect(listOutcomes(lines, id), `the audit has ${name} once`).toEqual([expect.stringMatching(/done|unknown|begun/)])
  }
  for (const { id, name } of findChanged(ended)) {
    const outcomes = listOutcomes(lines, id).filter((outcome) => outcome !== 'failed')
    expect(outcomes, `the audit has the change of ${name}`).not.toEqual([])
  }

  for (const { outcome, ids, new: values } of lines) {
    if (outcome !== 'done') continue
    const pet = after.find(({ id }) => ids.includes(`${id}`))
    const { changeCount: _changeCount, ...fields } = pet ?? {}
    expect(JSON.parse(stringifyExactJson(fields)), 'a change that the audit has as done was made').toEqual(values)
  }
}

/** Reads a count of a report, such as 2 in `2 created, 1 conflict`. */
const readCount = (text: string, outcome: string): number =>
  Number(new RegExp(`(\\d+) ${outcome}`).exec(text)?.[1] ?? 0)

/** Expects that the message of an import that has failed claims nothing that is not so. */
const expectTrueMessage = (world: World, ended: EndedImport): void => {
  const lastLine = ended.errors.trimEnd().split('\n').at(-1) ?? ''
  expect(lastLine).toMatch(/ (Nothing is written|Known to be done: .*)\. (To go on, r|R)un the same command again\.$/)
  if (lastLine.includes('Nothing is written.')) expect([findAdded(ended), findChanged(ended)]).toEqual([[], []])
  expect(readCount(lastLine, 'created'), 'pets that are said to be added are').toBeLessThanOrEqual(
    findAdded(ended).length,
  )
  expect(readCount(lastLine, 'changed'), 'pets that are said to be changed are').toBeLessThanOrEqual(
    findChanged(ended).length,
  )
  expect(existsSync(world.resultFile), 'the same command can be run again').toBe(false)
}

/** Expects that an import that succeeds has done all, and that its files and its output say so. */
const expectAllDone = (world: World, ended: EndedImport): void => {
  const { output, exitCode, after } = ended
  const { hasConflict, resultFile, journalFile } = world
  const conflictCount = hasConflict ? 1 : 0
  expect(exitCode).toBe(hasConflict ? 3 : 0)

  const newPets = after.filter(isNew)
  expect(newPets.map(({ name }) => name).toSorted()).toEqual(newNames)
  expect(after.map(({ name }) => name)).toEqual(expect.arrayContaining(hasConflict ? ['Milo'] : ['Max']))
  expect(after).toContainEqual({ ...soldBella, changeCount: 2 })

  const resultIds = readJsonLines(resultFile).map(({ id }) => BigInt(id))
  expect(resultIds.toSorted(), 'the result file has the new pets').toEqual(newPets.map(({ id }) => id).toSorted())
  expect(existsSync(journalFile), 'the journal is gone').toBe(false)

  expect(readCount(output, 'created')).toBe(findAdded(ended).length)
  expect(readCount(output, 'changed')).toBe(findChanged(ended).length)
  expect(readCount(output, 'conflict')).toBe(conflictCount)
  const doneCount = findAdded(ended).length + findChanged(ended).length
  expect(readCount(output, 'unchanged')).toBe(rowCount - doneCount - conflictCount)

  const conflictFile = /in (\S+conflicts\S+\.jsonl),/.exec(output)?.[1]
  const conflicts = conflictFile === undefined ? [] : readJsonLines(conflictFile)
  expect(conflicts).toMatchObject(hasConflict ? [{ id: 6, name: 'Max', categoryId: 2 }] : [])
}

/** Runs an import, and expects that its exit code, its output, its files and the audit say what it has done. */
const expectTruth = async (world: World, run: () => Promise<EndedCommand>): Promise<void> => {
  const before = await world.readPets()
  const { output, errors, exitCode } = await run()
  world.endFaults()
  const ended = { output, errors, exitCode, before, after: await world.readPets(), lines: await world.readAuditLines() }

  expectSingleChanges(world, ended)
  expectTrueAudit(ended)
  if (exitCode === 0 || exitCode === 3) expectAllDone(world, ended)
  else if (exitCode !== null) expectTrueMessage(world, ended)
}

const runInProcess = ({ words }: World) => runToolInProcess(createPetsTool(), words)

/** Runs the import once more, without faults. */
const expectCompletion = async (world: World): Promise<void> => {
  if (existsSync(world.resultFile)) return
  await expectTruth(world, async () => {
    const ended = await runInProcess(world)
    expect(ended.exitCode, ended.errors).toBe(world.hasConflict ? 3 : 0)
    return ended
  })
}

it('an import that meets faults says what it has done, and the same command goes on', {
  timeout: 60_000 + faultCount * 30_000,
}, async () => {
  const runs = fc.array(drawCommandFaults(lastCall), { minLength: 1, maxLength: 3 })
  const property = fc.asyncProperty(runs, fc.boolean(), async (faultsOfRuns, hasConflict) => {
    await using world = await openWorld(hasConflict)
    for (const faults of faultsOfRuns) {
      if (existsSync(world.resultFile)) break
      world.failCalls(faults)
      await expectTruth(world, () => runInProcess(world))
    }
    await expectCompletion(world)
  })
  await fc.assert(property, { numRuns: faultCount, endOnFailure: true })
})

/** The end of a process that is killed, or whose disk is full. */
interface ProcessEnd extends Kill {
  /** Longest file that the process can write, in blocks of 512 bytes. */
  readonly maximumBlocks: number
}

/** Runs an import in a process that is killed, or that can write only short files, as on a full disk. */
const runInDoomedProcess = async (world: World, { killedAt, isLastCallMade, maximumBlocks }: ProcessEnd) => {
  const commandPrefix = ['sh', '-c', `ulimit -f ${maximumBlocks}; exec "$@"`, 'sh']
  const started = startNode(['infra/operations/pets/pets.ts', ...world.words], { commandPrefix })
  world.killAtCall(started.child, { killedAt, isLastCallMade })
  const exitCode = await started.ended
  return { output: started.output(), errors: started.errors(), exitCode }
}

it('an import that was killed, or whose disk was full, adds no pet twice when the same command goes on', {
  timeout: 60_000 + killCount * 60_000,
}, async () => {
  const processEnd: fc.Arbitrary<ProcessEnd> = fc.record({
    killedAt: fc.oneof(fc.constant(999), fc.integer({ min: 1, max: lastCall })),
    isLastCallMade: fc.boolean(),
    maximumBlocks: fc.oneof(fc.constant(999_999), fc.integer({ min: 1, max: 50 })),
  })
  const runs = fc.array(processEnd, { minLength: 1, maxLength: 2 })
  const property = fc.asyncProperty(runs, fc.boolean(), async (endsOfRuns, hasConflict) => {
    await using world = await openWorld(hasConflict)
    for (const end of endsOfRuns) {
      if (existsSync(world.resultFile)) break
      await expectTruth(world, () => runInDoomedProcess(world, end))
    }
    await expectCompletion(world)
  })
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})

it('an import that cannot write its file of conflicts leaves no result file, so that the same command goes on', async () => {
  // The name of the file of conflicts is longer than this one: too long for a file system.
  await using world = await openWorld(true, `${'r'.repeat(231)}.jsonl`)

  await expectTruth(world, async () => {
    const ended = await runInProcess(world)
    expect(ended.errors).toContain('The name of a file is too long (ENAMETOOLONG: ')
    return ended
  })
})

it('an import writes a result file with the longest name that leaves room for the files of its journal', async () => {
  await using world = await openWorld(false, `${'r'.repeat(231)}.jsonl`)

  await expectTruth(world, async () => {
    const ended = await runInProcess(world)
    expect(ended.exitCode, ended.errors).toBe(0)
    return ended
  })
})

it('an import whose result file has a longer name changes nothing', async () => {
  await using world = await openWorld(false, `${'r'.repeat(232)}.jsonl`)
  const pets = await world.readPets()

  const { exitCode, errors } = await runInProcess(world)

  expect(exitCode).toBe(1)
  expect(errors).toContain('cannot be written. Name a file in a folder that you may write to, with --out.')
  expect(await world.readPets()).toEqual(pets)
})
