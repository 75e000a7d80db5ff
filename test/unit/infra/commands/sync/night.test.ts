import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { formatJsonLine } from '../../../../../infra/commands/files/json-lines.ts'
import { setPets } from '../../../../../infra/commands/pets/edit-pets.ts'
import {
  createNight,
  numberRows,
  openShelter,
  pickChangeIds,
  type Row,
  type Shelter,
} from '../../../../fixtures/commands/shelter.ts'
import { createWrappedClient } from '../../../../fixtures/database/clients.ts'
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
    await oakLane.sync([{ number: 'N1' }, { number: 'N2' }, { number: 'N3' }])

    const { json, exitCode } = await oakLane.sync([
      { number: 'N1', status: 'pending' },
      { number: 'N2' },
      { number: 'N4' },
    ])

    expect(json).toMatchObject({ inFile: 3, added: 1, changed: 1, unchanged: 1, gone: 1 })
    expect(exitCode).toBe(0)
    expect(await oakLane.list()).toEqual({ N1: 'N1 pending', N2: 'N2 available', N4: 'N4 available' })
    expect(await oakLane.findContradictions()).toEqual([])
  })
})

describe('what a row says', () => {
  it('each animal of a file is in one of the counts of the summary', async () => {
    await shelter.sync([{ number: 'N1' }, { number: 'N2' }, { number: 'N3', name: 'Bo' }, { number: 'N4' }])
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

  it('an animal that is first seen as sold or hidden is not added, and is added once it is available', async () => {
    await shelter.sync([
      { number: 'N1', status: 'sold' },
      { number: 'N2', status: 'hidden' },
    ])
    expect(await shelter.list()).toEqual({})

    await shelter.sync([{ number: 'N1' }, { number: 'N2' }])

    expect(await shelter.list()).toEqual({ N1: 'N1 available', N2: 'N2 available' })
  })

  it('an animal that is hidden, or gone, comes back under its id', async () => {
    await shelter.sync([{ number: 'N1' }, { number: 'N2' }])
    const ids = [await shelter.findId('N1'), await shelter.findId('N2')]
    await shelter.sync([{ number: 'N1', status: 'hidden' }])
    expect(await shelter.list()).toEqual({})

    const { json } = await shelter.sync([{ number: 'N1' }, { number: 'N2' }])

    expect(json).toMatchObject({ added: 0, returned: 2 })
    expect([await shelter.findId('N1'), await shelter.findId('N2')]).toEqual(ids)
  })

  it('with "missing: sold" an animal that is gone is sold, and stays in the list', async () => {
    await shelter.sync([{ number: 'N1' }], { night: { missing: 'sold' } })

    await shelter.accept([], { night: { missing: 'sold' } })

    expect(await shelter.list()).toEqual({ N1: 'N1 sold' })
  })

  it('an animal whose row is unknown stays as it is', async () => {
    await shelter.sync([{ number: 'N1' }])

    await shelter.sync([{ number: 'N2' }], { night: { unknown: [{ number: 'N1', line: 2, reason: 'what' }] } })

    expect(await shelter.list()).toEqual({ N1: 'N1 available', N2: 'N2 available' })
  })

  it('two shelters have animals of the same number', async () => {
    await shelter.sync([{ number: 'N1', name: 'Rex' }])

    await shelter.sync([{ number: 'N1', name: 'Bo' }], { night: { source: 'mill-pond' } })

    expect(await shelter.list()).toEqual({ N1: 'Rex available' })
    expect(await shelter.list('mill-pond')).toEqual({ N1: 'Bo available' })
  })

  it('an item stores what its file says only where the pet differs from it', async () => {
    await shelter.sync([{ number: 'N1' }])
    expect((await shelter.findPet('N1')).item).not.toHaveProperty('file')

    await shelter.set('N1', { name: 'Rex' })

    expect((await shelter.findPet('N1')).item['file']).toEqual({ name: 'N1' })
  })
})

describe('changes by hand', () => {
  it('a field that was changed by hand stays while the file says of it what it said before', async () => {
    await shelter.sync([{ number: 'N1' }])
    await shelter.set('N1', { name: 'Rex' })

    const { text, exitCode } = await shelter.sync([{ number: 'N1', status: 'pending' }])

    expect(await shelter.list()).toEqual({ N1: 'Rex pending' })
    expect(text).toMatch(/^Animal N1 \(pet \d+\) was changed by hand: name "N1" to "Rex"\.$/m)
    expect(exitCode).toBe(0)
  })

  it('a field that the file changes replaces the change by hand, with a line', async () => {
    await shelter.sync([{ number: 'N1' }])
    await shelter.set('N1', { status: 'sold' })

    const { textForPerson, exitCode } = await shelter.sync([{ number: 'N1', status: 'pending' }])

    expect(await shelter.list()).toEqual({ N1: 'N1 pending' })
    expect(textForPerson).toMatch(
      /^oak-lane: animal N1 \(pet \d+\) was changed by hand, and the file changes it: status "sold" to "pending"\.$/,
    )
    expect(exitCode).toBe(3)
  })

  it('sixty changes by hand that a file replaces are fifty lines, and one that counts the others', async () => {
    await shelter.accept(numberRows(0, 60))
    const ids = (await shelter.readPets()).map(({ id }) => id)
    await setPets(shelter.createRequest(), ids, { name: 'Rex' })

    const { textForPerson, json } = await shelter.sync(numberRows(0, 60, { name: 'Max' }))

    const lines = textForPerson.split('\n')
    expect(lines).toHaveLength(51)
    expect(lines.at(-1)).toBe('oak-lane: ... and 10 more: --json shows all.')
    expect(json['forPerson']).toHaveLength(60)
  })

  it('an animal that was sold by hand and that the file hides has a line', async () => {
    await shelter.sync([{ number: 'N1' }])
    await shelter.set('N1', { status: 'sold' })

    const { textForPerson, exitCode } = await shelter.sync([{ number: 'N1', status: 'hidden' }])

    expect(textForPerson).toMatch(/^oak-lane: animal N1 \(pet \d+\) was sold by hand, and the file hides it\.$/)
    expect(exitCode).toBe(3)
  })

  it('an animal that was sold by hand is named each night as long as the file says otherwise', async () => {
    await shelter.sync([{ number: 'N1' }])
    await shelter.set('N1', { status: 'sold' })
    await shelter.sync([{ number: 'N1' }, { number: 'N2' }])

    const { json, exitCode, textForPerson } = await shelter.sync([{ number: 'N1' }, { number: 'N2' }])

    expect(json).toMatchObject({ differing: 1, differingPets: [{ number: 'N1' }] })
    expect({ exitCode, textForPerson }).toEqual({ exitCode: 0, textForPerson: '' })
  })

  it('an animal that was removed by hand stays removed while its row changes', async () => {
    await shelter.sync([{ number: 'N1' }])
    await shelter.remove('N1')

    const { exitCode } = await shelter.sync([{ number: 'N1', name: 'Rex', status: 'pending' }])

    expect(await shelter.list()).toEqual({})
    expect((await shelter.findPet('N1')).state).toEqual({
      kind: 'removed',
      removed: 'by hand',
      name: 'Rex',
      categoryId: 1n,
      file: { name: 'Rex', categoryId: 1n, status: 'pending' },
    })
    expect(exitCode).toBe(0)
  })

  it.each(['hidden', 'sold'] as const)(
    'an animal that was removed by hand returns after its file said %s, with a line',
    async (status) => {
      await shelter.sync([{ number: 'N1' }])
      await shelter.remove('N1')
      await shelter.sync([{ number: 'N1', status }])
      expect(await shelter.list()).toEqual({})

      const { textForPerson } = await shelter.sync([{ number: 'N1' }])

      expect(await shelter.list()).toEqual({ N1: 'N1 available' })
      expect(textForPerson).toMatch(/animal N1 \(pet \d+\) was removed by hand, and the file brings it back\.$/)
    },
  )

  it('a hidden animal that was renamed by hand gets the name of its file once the file renames it', async () => {
    await shelter.sync([{ number: 'N1' }])
    await shelter.set('N1', { name: 'Rex' })
    await shelter.sync([{ number: 'N1', status: 'hidden' }])
    await shelter.sync([{ number: 'N1', name: 'Bo', status: 'hidden' }])

    await shelter.sync([{ number: 'N1', name: 'Bo' }])

    expect(await shelter.list()).toEqual({ N1: 'Bo available' })
  })

  it('an animal that is gone from its file, and was shown again by hand, is not removed again', async () => {
    await shelter.sync([{ number: 'N1' }, { number: 'N2' }])
    const gone = await shelter.sync([{ number: 'N2' }])
    await shelter.undo(pickChangeIds(gone))

    await shelter.sync([{ number: 'N2' }, { number: 'N3' }])

    expect(await shelter.list()).toMatchObject({ N1: 'N1 available' })
  })

  it('an animal that its source has removed returns, though its item does not say what the file said', async () => {
    await shelter.sync([{ number: 'N1' }])
    await shelter.sync([{ number: 'N1', status: 'hidden' }])
    await editItem(shelter.client, shelter.tables.pets, { id: await shelter.findId('N1') }, { file: undefined })

    await shelter.sync([{ number: 'N1' }])

    expect(await shelter.list()).toEqual({ N1: 'N1 available' })
  })

  it('follow makes an animal as the last file had it, in every field', async () => {
    await shelter.sync([{ number: 'N1' }, { number: 'N2', name: 'Bo' }])
    await shelter.set('N1', { name: 'Rex', categoryId: 7n, status: 'sold' })
    await shelter.remove('N2')

    await shelter.follow('N1')
    await shelter.follow('N2')

    expect(await shelter.list()).toEqual({ N1: 'N1 available', N2: 'Bo available' })
    expect((await shelter.findPet('N1')).item).not.toHaveProperty('file')
    expect(await shelter.findContradictions()).toEqual([])
  })
})

describe('doubtful files', () => {
  const expectRefusal = async (sync: () => Promise<unknown>, sentence: RegExp): Promise<void> => {
    const before = await shelter.readPets()
    await expect(sync()).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(sentence) })
    expect(await shelter.readPets()).toEqual(before)
  }

  it('a file that would take away more animals than the share in its settings, and five at least, is refused', async () => {
    await shelter.accept(numberRows(0, 100), { night: { lossPercent: 10 } })

    await expectRefusal(
      () => shelter.sync(numberRows(0, 89), { night: { lossPercent: 10 } }),
      /^oak-lane: the file would take away or replace 11 of 100 animals/,
    )
    await shelter.sync(numberRows(0, 90), { night: { lossPercent: 10 } })
  })

  it("another shelter's file, whose animals have other names and categories, is refused", async () => {
    await shelter.accept(numberRows(0, 10))

    await expectRefusal(
      () => shelter.sync(numberRows(0, 10, { name: 'Rex', categoryId: 2n })),
      /replace 10 of 10 animals/,
    )
  })

  it('animals that leave the list by the status of their row are no losses', async () => {
    await shelter.accept(numberRows(0, 10))

    await shelter.sync(numberRows(0, 10, { status: 'hidden' }))

    expect(await shelter.list()).toEqual({})
  })

  it('a file that would more than double the animals, and add five at least, is refused', async () => {
    await expectRefusal(() => shelter.sync(numberRows(0, 5)), /^oak-lane: the file would add 5 animals to 0/)
    await shelter.sync(numberRows(0, 4))
    await shelter.sync(numberRows(0, 8))
  })

  it('a file with two new animals is accepted beside one animal on offer', async () => {
    await shelter.sync(numberRows(0, 1))

    expect((await shelter.sync(numberRows(0, 3))).json).toMatchObject({ added: 2 })
  })

  it('a file with a header alone is refused, and accepted with --accept-changes', async () => {
    await shelter.sync(numberRows(0, 1))

    await expectRefusal(() => shelter.sync([]), /^oak-lane: the file has a header, but no animal\./)
    await shelter.accept([])

    expect(await shelter.list()).toEqual({})
  })

  it('the file of two nights ago is refused if it would change five animals, else it has a line', async () => {
    const clock = (): number => Date.UTC(2026, 10, 24, 3)
    await shelter.accept(numberRows(0, 20), { clock })
    await shelter.sync(numberRows(0, 20, { status: 'pending' }))
    await expectRefusal(
      () => shelter.sync(numberRows(0, 20)),
      /this is the file of 2026-11-24, byte for byte, and would change 20/,
    )

    await shelter.accept(numberRows(0, 20))
    const oneChanged: readonly Row[] = [...numberRows(0, 19), { number: 'N19', name: 'Rex' }]
    await shelter.sync(oneChanged)
    const { exitCode, textForPerson } = await shelter.sync(numberRows(0, 20))

    expect(exitCode).toBe(3)
    expect(textForPerson).toMatch(/^oak-lane: this is the file of \d{4}-\d\d-\d\d, byte for byte\.$/)
  })

  it('a file that has had the same bytes for three days has a line', async () => {
    const day = (number: number) => () => Date.UTC(2026, 10, number, 3)
    await shelter.sync(numberRows(0, 2), { clock: day(24) })
    expect((await shelter.sync(numberRows(0, 2), { clock: day(25) })).exitCode).toBe(0)

    const { textForPerson, exitCode } = await shelter.sync(numberRows(0, 2), { clock: day(26) })

    expect(textForPerson).toBe('oak-lane: the file has had the same bytes since 2026-11-24.')
    expect(exitCode).toBe(3)
  })

  it('a file with another settings file of the same source is refused', async () => {
    await shelter.sync(numberRows(0, 2))

    await expectRefusal(
      () => shelter.sync(numberRows(0, 2), { night: { settingsName: 'mill-pond.yaml' } }),
      /the settings are mill-pond\.yaml, and those of the last file were oak-lane\.yaml/,
    )
  })

  it('a file whose settings say another "missing" than the night before is refused', async () => {
    await shelter.sync(numberRows(0, 2), { night: { missing: 'sold' } })

    await expectRefusal(
      () => shelter.sync(numberRows(0, 2), { night: { missing: 'remove' } }),
      /the settings say "missing: remove", and those of the last file said "missing: sold"/,
    )
  })

  it('a status that is mistyped in the settings for one night is mended by the next night', async () => {
    await shelter.sync(numberRows(0, 3))
    await shelter.sync(numberRows(0, 3, { status: 'hidden' }), { night: { settingsHash: 'mistyped' } })
    expect(await shelter.list()).toEqual({})

    await shelter.sync(numberRows(0, 3))

    expect(await shelter.list()).toEqual({ N0: 'N0 available', N1: 'N1 available', N2: 'N2 available' })
  })
})

/**
 * Creates a client that runs a function before each transaction, and passes its number, from 1 on. If it throws, the
 * transaction is not made. The first one of a night notes that the file has passed.
 */
const createClientWith = (
  beforeTransaction: (transaction: number, send: () => Promise<unknown>) => Promise<void>,
  beforeLookup = async (): Promise<void> => {},
) => {
  let transactions = 0
  return createWrappedClient(shelter.engine, async (operation, send) => {
    if (operation === 'BatchGetItem') await beforeLookup()
    if (operation === 'TransactWriteItems') {
      transactions += 1
      await beforeTransaction(transactions, send)
    }
    return send()
  })
}

const createConnectionError = (): Error => Object.assign(new Error('no answer'), { code: 'ECONNRESET' })

describe('runs that end early', () => {
  /** Creates a client of a process that is killed after some transactions. */
  const createKilledClient = (transactions: number) => {
    let count = 0
    return createWrappedClient(shelter.engine, async (operation, send) => {
      if (count > transactions) throw new Error('killed')
      if (operation === 'TransactWriteItems') count += 1
      if (count > transactions) throw new Error('killed')
      return send()
    })
  }

  it('a killed run goes on with the same command, though it has changed most animals already', async () => {
    await shelter.accept(numberRows(0, 100))
    // 18 of 100 animals are gone, less than a fifth, and 40 are sold.
    const nextFile = [...numberRows(0, 42), ...numberRows(42, 82, { status: 'sold' })]
    // The first transaction notes that the file has passed, and the second one changes 33 animals.
    await expect(shelter.sync(nextFile, { client: createKilledClient(2) })).rejects.toThrow('killed')

    await shelter.sync(nextFile)

    expect(Object.keys(await shelter.list())).toHaveLength(82)
    expect(await shelter.findContradictions()).toEqual([])
  })

  it.each([1, 2])('a run before whose transaction %i a later run begins writes nothing more', async (transaction) => {
    await shelter.sync(numberRows(0, 2))
    const client = createClientWith(async (number) => {
      // The later run of another file begins and ends between the reads and the writes of this one.
      if (number === transaction) await shelter.sync([{ number: 'N0', name: 'Rex' }, { number: 'N1' }])
    })

    await expect(shelter.sync([{ number: 'N0', name: 'Old' }, { number: 'N1' }], { client })).rejects.toThrow(
      /^oak-lane: a later run has begun, so this one ends/,
    )

    expect(await shelter.list()).toEqual({ N0: 'Rex available', N1: 'N1 available' })
  })

  it('an animal that a restore adds while a night adds it is there once', async () => {
    const row = { id: 5, name: 'N0', categoryId: 1, status: 'available', source: 'oak-lane', number: 'N0' }
    const backup = join(createTemporaryFolder(), 'backup.jsonl')
    writeFileSync(backup, formatJsonLine(row))
    const client = createClientWith(async (number) => {
      if (number === 2) await shelter.restore(backup)
    })

    await shelter.sync(numberRows(0, 3), { client })

    expect(await shelter.findId('N0')).toBe(5n)
    expect(await shelter.findContradictions()).toEqual([])
  })

  it('an addition whose transaction lands while it is planned again is made once', async () => {
    const lost: (() => Promise<unknown>)[] = []
    const client = createClientWith(
      async (number, send) => {
        // The second transaction and its repetitions get no answer.
        if (number === 2) lost.push(send)
        if (number >= 2 && number <= 4) throw createConnectionError()
      },
      async () => {
        await lost.pop()?.()
      },
    )

    const { json } = await shelter.sync(numberRows(0, 3), { client })

    expect(lost).toEqual([])
    expect(json).toMatchObject({ added: 3 })
    expect(await shelter.findContradictions()).toEqual([])
    expect(Object.keys(await shelter.list())).toEqual(['N0', 'N1', 'N2'])
  })

  it('a run that a later one ends reports an addition that was made without an answer', async () => {
    let late: (() => Promise<unknown>) | undefined
    const client = createClientWith(async (number, send) => {
      if (number === 1) return
      late ??= send
      if (number <= 4) throw createConnectionError()
      // The batch has been planned again without a record of its first transaction.
      await late()
      await shelter.sync([{ number: 'N0', name: 'Rex' }, { number: 'N1' }, { number: 'N2' }])
    })

    const { json } = await shelter.sync(numberRows(0, 3), { client })

    expect(json).toMatchObject({ added: 3 })
    expect(await shelter.list()).toMatchObject({ N0: 'Rex available' })
  })

  it('an addition whose transaction lands after its run has given up, and another has begun, is not made', async () => {
    let late: (() => Promise<unknown>) | undefined
    const client = createClientWith(async (number, send) => {
      if (number < 2) return
      late ??= send
      throw createConnectionError()
    })
    await expect(shelter.sync(numberRows(0, 3), { client })).rejects.toThrow(/is not known\. 0 of 3 changes done/)

    await shelter.sync(numberRows(0, 3))
    await late?.().catch(() => undefined)

    expect(await shelter.findContradictions()).toEqual([])
    expect(await shelter.list()).toEqual({ N0: 'N0 available', N1: 'N1 available', N2: 'N2 available' })
  })
})

describe('tables that are restored', () => {
  it('pets that are restored to an earlier time are as the file has them after the next night', async () => {
    await shelter.sync(numberRows(0, 3))
    const restorePets = await shelter.backUp('pets')
    const file: readonly Row[] = [{ number: 'N0', name: 'Rex' }, { number: 'N1' }, { number: 'N3' }]
    await shelter.sync(file)
    const id = await shelter.findId('N3')

    await restorePets()
    const { json } = await shelter.sync(file)

    expect(json).toMatchObject({ added: 1, changed: 1, gone: 1 })
    expect(await shelter.list()).toEqual({ N0: 'Rex available', N1: 'N1 available', N3: 'N3 available' })
    expect(await shelter.findId('N3')).toBe(id)
  })

  it('an index that is restored to an earlier time gets the entries that pets lack by --reindex', async () => {
    await shelter.sync(numberRows(0, 3))
    const restoreIndex = await shelter.backUp('listings')
    await shelter.accept(numberRows(0, 120))
    await shelter.set('N3', { status: 'sold' })
    await restoreIndex()

    const { json } = await shelter.sync(numberRows(0, 120), { reindex: true })

    expect(json).toMatchObject({ added: 0, unchanged: 120 })
    expect(await shelter.findContradictions()).toEqual([])
    expect(await shelter.list()).toMatchObject({ N3: 'N3 sold' })
  })

  it('a night with --reindex names pets that were added again while entries were missing', async () => {
    await shelter.sync(numberRows(0, 2))
    await shelter.empty('listings')
    await shelter.sync(numberRows(0, 2))

    const { textForPerson } = await shelter.sync(numberRows(0, 2), { reindex: true })

    expect(textForPerson).toMatch(/^oak-lane: the pets \d+ and \d+ both have the number N0: remove \d+\.$/m)
  })

  it('after the index is lost, an animal that is set by hand in the middle of a run is not added twice', async () => {
    await shelter.sync(numberRows(0, 4))
    await shelter.empty('listings')
    const client = createClientWith(async (number) => {
      // The third transaction changes the animals: entries and the file's pass are written before.
      if (number === 3) await shelter.set('N0', { status: 'sold' })
    })

    await shelter.sync(numberRows(0, 4, { name: 'Rex' }), { client, reindex: true, acceptChanges: true })

    expect(await shelter.findContradictions()).toEqual([])
    expect(await shelter.list()).toMatchObject({ N0: 'Rex sold' })
  })
})

it('a night with --dry-run shows what would be done, 50 lines at most, and writes nothing', async () => {
  await shelter.sync(numberRows(0, 1))

  const { text, json, exitCode } = await shelter.sync(numberRows(1, 100), { isDryRun: true })

  const lines = text.split('\n')
  expect(lines).toContain('animal N1: added, {"name":"N1","categoryId":1,"status":"available"}')
  expect(lines).toContain('... and 50 more: --json shows all.')
  expect(exitCode, 'that of the run').toBe(4)
  expect(lines.at(-1)).toMatch(/^oak-lane: the file would add 99 animals to 1/)
  expect(json['changes']).toHaveLength(100)
  expect(await shelter.list()).toEqual({ N0: 'N0 available' })
})

it('each record of a night says which file has asked for the change', async () => {
  await shelter.sync(numberRows(0, 1))

  expect(await shelter.readRecords('N0')).toMatchObject([
    {
      action: 'pets sync',
      source: 'oak-lane',
      number: 'N0',
      inputFile: `animals.csv ${createNight(numberRows(0, 1)).fileHash.slice(0, 8)}`,
    },
  ])
})
