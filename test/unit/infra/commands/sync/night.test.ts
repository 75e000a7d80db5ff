import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { scanPets } from '../../../../../infra/commands/changes/read-pets.ts'
import { formatJsonLine } from '../../../../../infra/commands/files/json-lines.ts'
import { setPets } from '../../../../../infra/commands/pets/edit-pets.ts'
import type { Night } from '../../../../../infra/commands/sync/read-night.ts'
import { showSources } from '../../../../../infra/commands/sync/sources.ts'
import { createNight, numberRows, openShelter, type Row, type Shelter } from '../../../../fixtures/commands/shelter.ts'
import { createInterceptingClient, createWrappedClient } from '../../../../fixtures/database/clients.ts'
import { editItem } from '../../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

let shelter: Shelter

beforeEach(async () => {
  shelter = await openShelter()
})

describeOnEachEngine('pets sync', (engine) => {
  it('a night adds new animals, changes changed ones and removes those that are gone', async () => {
    const oakLane = await openShelter(engine)
    await oakLane.accept([{ number: 'N1' }, { number: 'N2' }, { number: 'N3' }])

    const { json, exitCode } = await oakLane.sync([
      { number: 'N1', status: 'pending', categoryId: 2n },
      { number: 'N2' },
      { number: 'N4' },
    ])

    expect(json).toMatchObject({ inFile: 3, added: 1, changed: 1, unchanged: 1, gone: 1 })
    expect(exitCode).toBe(0)
    expect(await oakLane.list()).toEqual({ N1: 'N1 pending', N2: 'N2 available', N4: 'N4 available' })
    expect(await oakLane.findPet('N1')).toMatchObject({ state: { pet: { categoryId: 2n } } })
    expect(await oakLane.findContradictions()).toEqual([])
  })
})

it('each animal of a file is in one of the counts of the summary', async () => {
  await shelter.accept([{ number: 'N1' }, { number: 'N2' }, { number: 'N3' }, { number: 'N4' }])
  // N2 is gone for a night, so that it returns in the next one.
  await shelter.sync([{ number: 'N1' }, { number: 'N3' }, { number: 'N4' }])

  const { text } = await shelter.sync(
    [
      { number: 'N1', status: 'pending' },
      { number: 'N2' },
      { number: 'N3' },
      { number: 'N4', status: 'hidden' },
      { number: 'N5' },
      { number: 'N6', status: 'sold' },
    ],
    { night: { unknown: [{ number: 'N7', line: 9, reason: 'its status is not in the settings' }] } },
  )

  expect(text.split('\n')[0]).toBe(
    'oak-lane: 7 in file = 1 added + 1 returned + 1 changed + 1 unchanged + 1 hidden + 1 not added (sold) + ' +
      '1 unknown. 0 gone. 0 differ from the file.',
  )
})

it('an animal whose row cannot be understood stays as it is', async () => {
  await shelter.accept([{ number: 'N1' }])

  await shelter.sync([{ number: 'N2' }], { night: { unknown: [{ number: 'N1', line: 2, reason: 'no status' }] } })

  expect(await shelter.list()).toEqual({ N1: 'N1 available', N2: 'N2 available' })
})

it.each([
  {
    change: 'renamed by hand, and changed by its file,',
    act: () => shelter.set('N1', { name: 'Rex', status: 'sold' }),
    status: 'pending' as const,
    line: 'was changed by hand, and the file changes it: name Rex to N1, status sold to pending',
  },
  {
    change: 'sold by hand, and hidden by its file,',
    act: () => shelter.set('N1', { status: 'sold' }),
    status: 'hidden' as const,
    line: 'was changed by hand, and the file hides it',
  },
  {
    change: 'removed by hand, and changed by its file,',
    act: () => shelter.remove('N1'),
    status: 'pending' as const,
    line: 'was removed by hand, and the file brings it back',
  },
])('an animal that was $change has a line for a person', async ({ act, status, line }) => {
  await shelter.accept([{ number: 'N1' }])
  await act()

  const { textForPerson, exitCode } = await shelter.sync([{ number: 'N1', status }])

  // The exit code 3 tells a schedule that there are lines for a person.
  expect(textForPerson).toMatch(new RegExp(`^oak-lane: animal N1 \\(pet \\d+\\) ${line}\\.$`))
  expect(exitCode).toBe(3)
})

it.each([
  { change: 'renamed', act: () => shelter.set('N1', { name: 'Rex' }), line: 'was changed by hand: name N1 to Rex' },
  {
    change: 'removed',
    act: () => shelter.remove('N1'),
    line: 'is removed by hand, and the file has it as available',
  },
])('each night names an animal that was $change by hand, but in no line for a person', async ({ act, line }) => {
  await shelter.accept([{ number: 'N1' }])
  await act()

  const { text, json, textForPerson, exitCode } = await shelter.sync([{ number: 'N1' }, { number: 'N2' }])

  expect(text.split('\n').slice(1)).toEqual([expect.stringMatching(`^Animal N1 \\(pet \\d+\\) ${line}\\.$`)])
  expect(json).toMatchObject({ differing: 1, differingPets: [{ number: 'N1' }] })
  expect({ textForPerson, exitCode }).toEqual({ textForPerson: '', exitCode: 0 })
})

it('sixty changes by hand that a file replaces are fifty lines for a person, and one that counts the others', async () => {
  await shelter.accept(numberRows(0, 60))
  const ids = (await shelter.readPets()).map(({ id }) => id)
  await setPets(shelter.createRequest(), ids, { name: 'Rex' })

  const { textForPerson, json } = await shelter.accept(numberRows(0, 60, { name: 'Max' }))

  const lines = textForPerson.split('\n')
  expect(lines).toHaveLength(51)
  expect(lines.at(-1)).toBe('oak-lane: ... and 10 more: --json shows all.')
  expect(json['forPerson']).toHaveLength(60)
})

it('an item that somebody has damaged becomes what the file says, with a line for a person', async () => {
  await shelter.accept([{ number: 'N1' }])
  await editItem(shelter.client, shelter.tables.pets, { id: await shelter.findId('N1') }, { status: 'lost' })

  const { textForPerson } = await shelter.sync([{ number: 'N1' }])

  expect(await shelter.list()).toEqual({ N1: 'N1 available' })
  expect(textForPerson).toContain('was changed by hand, and the file changes it: status lost to available.')
})

it('a damaged item whose row cannot be understood stays as it is, and the report names both faults', async () => {
  await shelter.accept([{ number: 'N1' }])
  await editItem(shelter.client, shelter.tables.pets, { id: await shelter.findId('N1') }, { status: 'lost' })

  const unknown = [{ number: 'N1', line: 2, reason: 'no status' }]
  const { text } = await shelter.sync([{ number: 'N2' }], { night: { unknown } })

  expect(text).toMatch(/^Animal N1 \(pet \d+\) has no valid status, and the file no valid row of it\.$/m)
})

/**
 * Expects that a file is refused (exit code 4) because of a doubt, and that no pet is changed.
 *
 * @param night values other than those of the usual night, such as another hash of its settings
 */
const expectRefusal = async (rows: readonly Row[], doubt: string, night: Partial<Night> = {}): Promise<void> => {
  const before = await shelter.readPets()
  const message = expect.stringContaining(doubt)
  await expect(shelter.sync(rows, { night })).rejects.toMatchObject({ exitCode: 4, message })
  expect(await shelter.readPets()).toEqual(before)
}

it('the first file of a source is refused, so that settings with another name are not a second shelter', async () => {
  await expectRefusal(numberRows(0, 1), 'oak-lane: no file of oak-lane has passed yet')

  await shelter.accept(numberRows(0, 1))

  expect(await shelter.list()).toEqual({ N0: 'N0 available' })
})

it.each<{ loss: string; change: Partial<Row> | undefined }>([
  { loss: 'are gone', change: undefined },
  { loss: 'are hidden', change: { status: 'hidden' } },
  { loss: 'get another name', change: { name: 'Dog' } },
  { loss: 'get another category', change: { categoryId: 2n } },
])('a file in which more animals $loss than the share in its settings is refused', async ({ change }) => {
  const night = { lossPercent: 10 }
  /** Creates the file that leaves the first animals as they are, and changes or no longer has the others. */
  const createNextFile = (keptCount: number): readonly Row[] =>
    change === undefined
      ? numberRows(0, keptCount)
      : [...numberRows(0, keptCount), ...numberRows(keptCount, 100, change)]
  await shelter.accept(numberRows(0, 100))

  const doubt = 'it would take off the offer, rename or move to another category 11 of 100 animals on offer'
  await expectRefusal(createNextFile(89), doubt, night)
  await shelter.sync(createNextFile(90), { night })
})

it('sales are no loss, unless the settings are not those of the last file', async () => {
  await shelter.accept(numberRows(0, 10))
  const allSold = numberRows(0, 10, { status: 'sold' })

  const doubt = 'it would take off the offer, sell, rename or move to another category 10 of 10 animals on offer'
  await expectRefusal(allSold, doubt, { settingsHash: 'a hash of mistyped settings' })
  await shelter.sync(allSold)

  expect(await shelter.list()).toMatchObject({ N0: 'N0 sold' })
})

// A file that changes fewer than five animals raises no doubt.
it.each([
  {
    offered: 5,
    refused: numberRows(0, 5, { status: 'hidden' }),
    doubt: 'it would take off the offer, rename or move to another category 5 of 5 animals on offer',
    passing: [...numberRows(0, 4, { status: 'hidden' }), ...numberRows(4, 5)],
  },
  {
    offered: 5,
    refused: numberRows(0, 11),
    doubt: 'it would put 6 animals beside the 5',
    passing: numberRows(0, 10),
  },
  { offered: 0, refused: numberRows(0, 5), doubt: 'it would put 5 animals beside the 0', passing: numberRows(0, 4) },
])('a file is refused because $doubt, and passes with one less', async ({ offered, refused, doubt, passing }) => {
  await shelter.accept(numberRows(0, offered))

  await expectRefusal(refused, doubt)
  await shelter.sync(passing)
})

it('a file with a header alone is refused, and accepted with --accept-changes', async () => {
  await shelter.accept(numberRows(0, 1))

  await expectRefusal([], 'oak-lane: the file has a header, but no animal.')
  await shelter.accept([])

  expect(await shelter.list()).toEqual({})
})

it('the file of two nights ago is refused if it would change five animals, else a line names it to a person', async () => {
  const clock = (): number => Date.parse('2026-11-24T03:00:00Z')
  await shelter.accept(numberRows(0, 20), { clock })
  await shelter.sync([...numberRows(0, 15), ...numberRows(15, 20, { status: 'pending' })])
  await expectRefusal(numberRows(0, 20), 'this is the file of 2026-11-24, byte for byte, and would change 5 animals')

  await shelter.sync([...numberRows(0, 16), ...numberRows(16, 20, { status: 'pending' })])
  const { exitCode, textForPerson } = await shelter.sync(numberRows(0, 20))

  expect(exitCode).toBe(3)
  expect(textForPerson).toBe('oak-lane: this is the file of 2026-11-24, byte for byte, and it has changed 4 animals.')
})

/**
 * Creates a client that runs a function before it sends a transaction. If the function throws, the transaction is not
 * sent. The first transaction of a night notes that the file has passed, and the others change animals.
 *
 * @param beforeTransaction gets the number of the transaction, from 1 on; one that the SDK repeats counts again
 * @param beforeRead runs before each read of pets, or of their ids in the index
 */
const createClientWith = (
  beforeTransaction: (number: number, send: () => Promise<unknown>) => Promise<void>,
  beforeRead?: () => Promise<void>,
) => {
  let transactionCount = 0
  return createWrappedClient(shelter.engine, async (operation, send) => {
    if (operation === 'BatchGetItem') await beforeRead?.()
    if (operation === 'TransactWriteItems') {
      transactionCount += 1
      await beforeTransaction(transactionCount, send)
    }
    return send()
  })
}

/** Creates the error of a call without an answer, which the SDK repeats: it makes three attempts in all. */
const createConnectionError = (): Error => Object.assign(new Error('no answer'), { code: 'ECONNRESET' })

it('a killed run goes on with the same command, though the file would now be doubtful', async () => {
  await shelter.accept(numberRows(0, 100))
  // 40 animals are sold, and 18 of the 100 on offer are gone: less than a fifth, so the file passes. The second
  // transaction sells 33 animals. Then 18 of the 67 that are left are gone, which is more than a fifth.
  const nextFile = [...numberRows(0, 42), ...numberRows(42, 82, { status: 'sold' })]
  const client = createClientWith(async (number) => {
    if (number > 2) throw new Error('killed')
  })
  await expect(shelter.sync(nextFile, { client })).rejects.toThrow('killed')

  await shelter.sync(nextFile)

  expect(Object.keys(await shelter.list())).toHaveLength(82)
  expect(await shelter.findContradictions()).toEqual([])
})

it.each([1, 2])('a run writes nothing more if a later run begins before its transaction %i', async (transaction) => {
  await shelter.accept(numberRows(0, 2))
  const client = createClientWith(async (number) => {
    // The later run of another file begins and ends between the reads and the writes of this one.
    if (number === transaction) await shelter.sync([{ number: 'N0', name: 'Rex' }, { number: 'N1' }])
  })

  await expect(shelter.sync([{ number: 'N0', name: 'Old' }, { number: 'N1' }], { client })).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/^oak-lane: a later run has begun, .* Its file animals\.csv has passed/),
  })

  expect(await shelter.list()).toEqual({ N0: 'Rex available', N1: 'N1 available' })
})

it.each([1, 2])('a run asks to be run again if a refused run begins before its transaction %i', async (transaction) => {
  await shelter.accept(numberRows(0, 2))
  const client = createClientWith(async (number) => {
    // A file without an animal is refused.
    if (number === transaction) await shelter.sync([]).catch(() => undefined)
  })

  await expect(shelter.sync([{ number: 'N0', name: 'Rex' }, { number: 'N1' }], { client })).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/No file of it has passed: .* Run the same command again\./),
  })
})

it('an animal that another run adds just before a run begins is removed if the file of this run lacks it', async () => {
  await shelter.accept(numberRows(0, 2))
  let updateCount = 0
  const client = createInterceptingClient(shelter.engine, 'UpdateItem', async () => {
    updateCount += 1
    // The first update of a run makes it the latest one. Just before, another run adds N2.
    if (updateCount === 1) await shelter.sync(numberRows(0, 3))
  })

  await shelter.sync(numberRows(0, 2), { client })

  expect(await shelter.list()).toEqual({ N0: 'N0 available', N1: 'N1 available' })
})

it('an animal that a restore adds while a night adds it is there once', async () => {
  const exportedPet = { id: 5, name: 'N0', categoryId: 1, status: 'available', source: 'oak-lane', number: 'N0' }
  const backup = join(createTemporaryFolder(), 'backup.jsonl')
  writeFileSync(backup, formatJsonLine(exportedPet))
  const client = createClientWith(async (number) => {
    // The second transaction adds the animals.
    if (number === 2) await shelter.restore(backup)
  })

  await shelter.accept(numberRows(0, 3), { client })

  expect(await shelter.findId('N0')).toBe(5n)
  expect(await shelter.findContradictions()).toEqual([])
})

it('an addition whose transaction lands while it is planned again is made once', async () => {
  const lostTransactions: (() => Promise<unknown>)[] = []
  const client = createClientWith(
    async (number, send) => {
      // The second transaction adds the animals. It and its two repetitions get no answer.
      if (number === 2) lostTransactions.push(send)
      if (number >= 2 && number <= 4) throw createConnectionError()
    },
    async () => {
      // To plan the addition again, the run reads the index. The transaction lands just before.
      await lostTransactions.pop()?.()
    },
  )

  const { json } = await shelter.accept(numberRows(0, 3), { client })

  expect(lostTransactions, 'the transaction has landed').toEqual([])
  expect(json).toMatchObject({ added: 3 })
  expect(await shelter.findContradictions()).toEqual([])
  expect(Object.keys(await shelter.list())).toEqual(['N0', 'N1', 'N2'])
})

it('a run that a later one ends reports an addition that was made without an answer', async () => {
  let sendAddition: (() => Promise<unknown>) | undefined
  const client = createClientWith(async (number, send) => {
    if (number === 1) return
    sendAddition ??= send
    // The second transaction adds the animals. It and its two repetitions get no answer.
    if (number <= 4) throw createConnectionError()
    // The audit had no record of the second transaction, so the fifth one adds the animals again. Only now the second
    // one lands, and then a later run ends this one.
    await sendAddition()
    await shelter.accept([{ number: 'N0', name: 'Rex' }, { number: 'N1' }, { number: 'N2' }])
  })

  const { json } = await shelter.accept(numberRows(0, 3), { client })

  expect(json).toMatchObject({ added: 3 })
  expect(await shelter.list()).toMatchObject({ N0: 'Rex available' })
})

it('an addition whose transaction lands after its run has given up, and another has begun, is not made', async () => {
  let sendAddition: (() => Promise<unknown>) | undefined
  const client = createClientWith(async (number, send) => {
    if (number === 1) return
    sendAddition ??= send
    throw createConnectionError()
  })
  await expect(shelter.accept(numberRows(0, 3), { client })).rejects.toThrow(/is not known\. 0 of 3 changes done/)

  await shelter.sync(numberRows(0, 3))
  // The addition lands now. A condition of it is that no later run has begun.
  await sendAddition?.().catch(() => undefined)

  expect(await shelter.findContradictions()).toEqual([])
  expect(await shelter.list()).toEqual({ N0: 'N0 available', N1: 'N1 available', N2: 'N2 available' })
})

it('pets that are restored to an earlier time are as the file has them after the next night', async () => {
  await shelter.accept(numberRows(0, 3))
  const restorePets = await shelter.backUp('pets')
  const file: readonly Row[] = [{ number: 'N0', name: 'Rex' }, { number: 'N1' }, { number: 'N3' }]
  await shelter.sync(file)
  const idBefore = await shelter.findId('N3')

  await restorePets()
  const { json } = await shelter.sync(file)

  expect(json).toMatchObject({ added: 1, changed: 1, gone: 1 })
  expect(await shelter.list()).toEqual({ N0: 'Rex available', N1: 'N1 available', N3: 'N3 available' })
  expect(await shelter.findId('N3')).toBe(idBefore)
})

it('an animal is added again if only the index is restored to an earlier time, and pets sources says so', async () => {
  await shelter.accept(numberRows(0, 1))
  const firstId = await shelter.findId('N0')
  // The table Listings is the index, and was empty at that time.
  await shelter.empty('listings')
  await shelter.accept(numberRows(0, 1))
  const [secondId] = (await shelter.readPets()).map(({ id }) => id).filter((id) => id !== firstId)

  const { database, tables } = shelter.createRequest().environment
  const show = () => showSources({ database, tables }, scanPets(database, tables.pets))
  const { text, exitCode } = await show()

  expect(text).toContain(`are both number N0 of oak-lane: remove ${firstId}, which no night changes.`)
  expect(secondId).toBeDefined()
  expect(exitCode).toBe(3)

  await shelter.remove(firstId)
  expect((await show()).exitCode, 'once the first is removed').toBe(0)
})

it('a night with --dry-run shows what would be done, 50 lines at most, and writes nothing', async () => {
  await shelter.accept(numberRows(0, 1))

  const { text, json, exitCode } = await shelter.sync(numberRows(1, 100), { isDryRun: true })

  const lines = text.split('\n')
  expect(lines).toContain('animal N1: added: name N1, category id 1, status available')
  expect(lines).toContain('... and 50 more: --json shows all.')
  expect(exitCode, 'the run itself would be refused').toBe(4)
  expect(lines.at(-1)).toMatch(/^oak-lane: it would put 99 animals beside the 1 on offer/)
  expect(json['changes']).toHaveLength(100)
  expect(await shelter.list()).toEqual({ N0: 'N0 available' })
})

it('each record of a night says which file has asked for the change', async () => {
  await shelter.accept(numberRows(0, 1))

  expect(await shelter.readRecords('N0')).toMatchObject([
    {
      action: 'pets sync',
      source: 'oak-lane',
      number: 'N0',
      inputFile: `animals.csv ${createNight(numberRows(0, 1)).fileHash.slice(0, 8)}`,
    },
  ])
})
