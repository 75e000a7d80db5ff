import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { ChangeAudit } from '../../../../../../infra/commands/environment/change-audit.ts'
import type { Environment } from '../../../../../../infra/commands/environment/open-environment.ts'
import { removePets } from '../../../../../../infra/commands/pets/remove.ts'
import { setPets } from '../../../../../../infra/commands/pets/set.ts'
import { ListingTable } from '../../../../../../infra/commands/pets/sync/listing-table.ts'
import { readShelterFile } from '../../../../../../infra/commands/pets/sync/read-file.ts'
import { releasePet } from '../../../../../../infra/commands/pets/sync/release.ts'
import { parseSettings } from '../../../../../../infra/commands/pets/sync/settings.ts'
import { syncFile } from '../../../../../../infra/commands/pets/sync/sync.ts'
import type { NewPet } from '../../../../../../shared/pets/pet.ts'
import {
  createClients,
  createInterceptingClient,
  createWrappedClient,
} from '../../../../../fixtures/database/clients.ts'
import {
  createFreshTables,
  describeOnEachEngine,
  type RunningEngine,
} from '../../../../../fixtures/database/engines.ts'
import { createTemporaryFolder } from '../../../../../fixtures/machine/temporary-folder.ts'

/** Words of the software of two shelters. Both say `missing: remove`. */
const oakLane = `
source: oak-lane
columns: { reference: Number, name: Called, category: Kind, status: State }
categories: { Dog: 11, Cat: 12 }
statuses: { Ready: available, Reserved: pending, Adopted: sold, On hold: hidden }
missing: remove`
const millPond = oakLane.replace('oak-lane', 'mill-pond')

/** An animal of a shelter, in the words of its software. */
interface Row {
  readonly number: string
  readonly name?: string
  readonly kind?: string
  readonly state?: string
}

/** Formats a file as software that quotes everything and ends lines as Windows does. */
const formatQuoted = (rows: readonly Row[]): Buffer => {
  const records = rows.map(({ number, name = number, kind = 'Dog', state = 'Ready' }) => [
    number,
    name,
    'a "memo",\nlong',
    kind,
    state,
  ])
  const lines = [['Number', 'Called', 'Memo', 'Kind', 'State'], ...records].map(
    (cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')}\r\n`,
  )
  return Buffer.from(`\ufeff${lines.join('')}`)
}

/** Formats a file as a spreadsheet that saves "Unicode text". */
const formatUtf16 = (rows: readonly Row[]): Buffer => {
  const lines = rows.map(({ number, name = number, kind = 'Dog', state = 'Ready' }) =>
    [number, kind, name, state].join('\t'),
  )
  return Buffer.from(`\ufeff${['Number\tKind\tCalled\tState', ...lines].join('\r\n')}\r\n`, 'utf16le')
}

const numberRows = (from: number, to: number, row: Partial<Row> = {}): readonly Row[] =>
  Array.from({ length: to - from }, (_, index) => ({ number: `N${from + index}`, ...row }))

/**
 * Creates a client of a process that is killed at one of its calls: before an odd one is sent, and after an even one
 * was carried out.
 */
const createKilledClient = (engine: RunningEngine, lastCall: number): DynamoDBDocumentClient => {
  let calls = 0
  return createWrappedClient(engine, async (_operation, send) => {
    calls += 1
    if (calls < lastCall) return send()
    if (calls === lastCall && lastCall % 2 === 0) await send()
    throw new Error('killed')
  })
}

interface SyncOptions {
  readonly settings?: string
  readonly bytes?: Buffer
  readonly acceptChanges?: boolean
  readonly reread?: boolean
  readonly dryRun?: boolean
  readonly database?: DynamoDBDocumentClient
}

/** Creates an operator who syncs the files of shelters, on new, empty tables of an engine. */
const createSyncingOperator = async (engine: RunningEngine) => {
  const tables = await createFreshTables(engine)
  const { client } = createClients(engine)
  const file = join(createTemporaryFolder(), 'animals.csv')

  const createEnvironment = (database: DynamoDBDocumentClient): Environment => ({
    name: 'local',
    baseUrl: '',
    database,
    tables,
    [Symbol.dispose]: () => undefined,
  })
  const createAudit = (database = client) => new ChangeAudit(createEnvironment(database), { who: 'alice' })
  const scan = async (table: string) =>
    (await client.send(new ScanCommand({ TableName: table, ConsistentRead: true }))).Items ?? []

  return {
    engine,
    client,
    tables,
    scan,

    sync: (rows: readonly Row[], options: SyncOptions = {}) => {
      const { settings: text = oakLane, bytes = formatQuoted(rows), dryRun = false, database = client } = options
      writeFileSync(file, bytes)
      const settings = parseSettings(text)
      const request = { ...options, settings, file: readShelterFile(file, settings), clock: Date.now }
      return syncFile(createEnvironment(database), dryRun ? undefined : createAudit(database), request)
    },

    release: (id: bigint) => releasePet(createEnvironment(client), createAudit(), id),

    /** Lists the animals of a source as callers see them, by their references. */
    list: async (source = 'oak-lane') => {
      const items = (await scan(tables.pets)).filter((item) => item['source'] === source && !item['removed'])
      const entries = items.map(({ reference, name, status }) => [reference, `${name} ${status}`] as const)
      return Object.fromEntries(entries.toSorted())
    },

    findId: async (reference: string, source = 'oak-lane'): Promise<bigint> => {
      const items = await scan(tables.pets)
      return BigInt(items.find((item) => item['reference'] === reference && item['source'] === source)?.['id'])
    },

    /** Changes a pet by `pets set`, or by `pets remove`. @param changes undefined removes the pet */
    changeByHand: async (id: bigint, changes: Partial<NewPet> | undefined) => {
      const environment = createEnvironment(client)
      if (changes === undefined) await removePets(environment, createAudit(), [id])
      else await setPets(environment, createAudit(), [id], changes)
    },
  }
}

describeOnEachEngine('pets sync', (engine) => {
  let operator: Awaited<ReturnType<typeof createSyncingOperator>>

  beforeEach(async () => {
    operator = await createSyncingOperator(engine)
  })

  const firstLoad = { acceptChanges: true }

  it('five nights of two shelters become the list that the shelters have', async () => {
    // The first night: hidden and adopted animals are not added.
    const first: readonly Row[] = [
      { number: 'N1', name: 'Zoë' },
      { number: 'N2', kind: 'Cat', state: 'Reserved' },
      { number: 'N3', state: 'On hold' },
      { number: 'N4', state: 'Adopted' },
      { number: 'N5' },
    ]
    await operator.sync(first, firstLoad)
    await operator.sync([], { settings: millPond, bytes: formatUtf16([{ number: 'N1', name: 'Max' }]), ...firstLoad })
    expect(await operator.list()).toEqual({ N1: 'Zoë available', N2: 'N2 pending', N5: 'N5 available' })
    expect(await operator.list('mill-pond')).toEqual({ N1: 'Max available' })
    const idOfN5 = await operator.findId('N5')

    // The second night: new, renamed, adopted and gone animals; one is hidden, and one no longer.
    const second: readonly Row[] = [
      { number: 'N1', name: 'Zoë II' },
      { number: 'N2', kind: 'Cat', state: 'Adopted' },
      { number: 'N3' },
      { number: 'N6' },
    ]
    const secondReport = await operator.sync(second)
    expect(secondReport).toMatchObject({
      text: 'oak-lane: 4 in file, 2 new, 2 changed, 1 gone, 0 hidden, 0 kept by hand, 0 unknown',
      exitCode: 0,
    })
    const secondList = { N1: 'Zoë II available', N2: 'N2 sold', N3: 'N3 available', N6: 'N6 available' }
    expect(await operator.list()).toEqual(secondList)

    // The third night: the same file, twice.
    const unchanged = 'oak-lane: 4 in file, 0 new, 0 changed, 0 gone, 0 hidden, 0 kept by hand, 0 unknown'
    expect((await operator.sync(second)).text).toBe(unchanged)
    expect((await operator.sync(second)).text).toBe(unchanged)

    // The fourth night: the file is cut in its last row.
    const cut = formatQuoted(second).subarray(0, -10)
    expect(() => operator.sync([], { bytes: cut })).toThrow(expect.objectContaining({ exitCode: 4 }))
    expect(await operator.list()).toEqual(secondList)

    // The fifth night: an animal is back, and has its former id.
    await operator.sync([...second, { number: 'N5' }])
    expect(await operator.list()).toEqual({ ...secondList, N5: 'N5 available' })
    expect(await operator.findId('N5')).toBe(idOfN5)
    expect(await operator.list('mill-pond')).toEqual({ N1: 'Max available' })
  })

  it('animals that are missing are sold if the settings say so', async () => {
    await operator.sync(numberRows(0, 2), firstLoad)

    await operator.sync(numberRows(0, 1), { settings: oakLane.replace('missing: remove', 'missing: sold') })

    expect(await operator.list()).toEqual({ N0: 'N0 available', N1: 'N1 sold' })
  })

  it('each night is right when each run is killed at some call and repeated', async () => {
    // More animals than one transaction takes.
    const nights = [
      numberRows(0, 80),
      [...numberRows(0, 30, { state: 'Reserved' }), ...numberRows(35, 120)],
      [...numberRows(10, 50, { name: 'New name' }), ...numberRows(50, 130), ...numberRows(0, 5)],
    ]
    for (const rows of nights) {
      for (let lastCall = 1; lastCall <= 9; lastCall += 1) {
        const database = createKilledClient(engine, lastCall)
        await operator.sync(rows, { ...firstLoad, database }).catch(() => undefined)
      }
      await operator.sync(rows, firstLoad)

      const expected = rows.map(({ number, name = number, state }) => [
        number,
        `${name} ${state === 'Reserved' ? 'pending' : 'available'}`,
      ])
      expect(await operator.list()).toEqual(Object.fromEntries(expected))
    }
    const references = (await operator.scan(operator.tables.pets)).map(({ reference }) => reference)
    expect(references).toHaveLength(new Set(references).size)
  })

  it('each change of a pet has one record, which names the change before', async () => {
    await operator.sync([{ number: 'N1' }], firstLoad)
    await operator.sync([{ number: 'N1', state: 'Reserved' }])

    const [pet] = await operator.scan(operator.tables.pets)
    const records = (await operator.scan(operator.tables.audit)).toSorted((one, other) =>
      one['changeId'] < other['changeId'] ? -1 : 1,
    )
    expect(records).toMatchObject([
      {
        target: `pet#${pet?.['id']}`,
        action: 'pets sync',
        source: 'oak-lane',
        old: null,
        new: { status: 'available' },
      },
      {
        previous: records[0]?.['changeId'],
        changeId: pet?.['changeId'],
        old: { status: 'available' },
        new: { status: 'pending' },
      },
    ])
    expect(records).toHaveLength(2)
  })

  it('a night without changes reads no pet', async () => {
    await operator.sync(numberRows(0, 3), firstLoad)
    const tablesOfReads: unknown[] = []
    const database = createInterceptingClient(engine, 'BatchGetItem', async ({ RequestItems }) => {
      tablesOfReads.push(...Object.values(Object(RequestItems)).map((request) => Object(request).Keys[0]))
    })

    await operator.sync(numberRows(0, 3), { database })

    // The only one is that whose response has the time.
    expect(tablesOfReads).toEqual([{ id: 0 }])
  })

  it('a dry run says what would be done, and writes nothing', async () => {
    await operator.sync(numberRows(0, 2), firstLoad)
    const before = await operator.scan(operator.tables.listings)

    const report = await operator.sync([{ number: 'N0', name: 'Max' }, { number: 'N7' }], { dryRun: true })

    expect(report.json).toMatchObject({ new: 1, changed: 1, gone: 1 })
    expect(report.json['changes']).toEqual([
      {
        reference: 'N7',
        id: null,
        action: 'added',
        old: null,
        new: { name: 'N7', categoryId: 11n, status: 'available' },
      },
      expect.objectContaining({ reference: 'N0', action: 'edited', old: expect.objectContaining({ name: 'N0' }) }),
      expect.objectContaining({ reference: 'N1', action: 'removed', new: null }),
    ])
    expect(await operator.scan(operator.tables.listings)).toEqual(before)
  })

  it('animals that a hand has removed are not counted', async () => {
    await operator.sync(numberRows(0, 30), firstLoad)
    for (const { number } of numberRows(0, 10)) await operator.changeByHand(await operator.findId(number), undefined)

    // Five of twenty are more than a fifth; of thirty they were not.
    await expect(operator.sync(numberRows(0, 25))).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining('5 of 20'),
    })
  })

  describe('after a change by hand', () => {
    it('a removed animal stays removed, until it is released', async () => {
      await operator.sync([{ number: 'N1' }], firstLoad)
      const id = await operator.findId('N1')
      await operator.changeByHand(id, undefined)

      expect(await operator.sync([{ number: 'N1' }])).toMatchObject({ exitCode: 0 })
      expect(await operator.list()).toEqual({})

      await operator.release(id)
      expect(await operator.list()).toEqual({ N1: 'N1 available' })
      expect((await operator.release(id)).json).toMatchObject({ changed: false })
    })

    it('a removed animal that is hidden returns with its row, and the report says so', async () => {
      await operator.sync([{ number: 'N1' }], firstLoad)
      const id = await operator.findId('N1')
      await operator.changeByHand(id, undefined)
      await operator.sync([{ number: 'N1', state: 'On hold' }])

      const report = await operator.sync([{ number: 'N1', state: 'Reserved' }], firstLoad)

      expect(await operator.list()).toEqual({ N1: 'N1 pending' })
      expect(report.text).toContain(`\nN1 (pet ${id}): the file brings back the animal, which was removed by hand.`)
      expect(report.json['changes']).toMatchObject([{ action: 'returned', removalUndone: true }])
    })

    it('a pet that comes from no file is not released', async () => {
      await expect(operator.release(5n)).rejects.toMatchObject({ exitCode: 3 })
    })

    it('a change by hand during the run is merged', async () => {
      await operator.sync([{ number: 'N1' }, { number: 'N2' }], firstLoad)
      const id = await operator.findId('N1')
      let isChanged = false
      const database = createInterceptingClient(engine, 'TransactWriteItems', async () => {
        if (isChanged) return
        isChanged = true
        await operator.changeByHand(id, { name: 'Bella the brave' })
      })

      const report = await operator.sync(
        [
          { number: 'N1', state: 'Reserved' },
          { number: 'N2', name: 'Max' },
        ],
        { database },
      )

      expect(report.text).toContain('2 changed, 0 gone, 0 hidden, 1 kept by hand')
      expect(await operator.list()).toEqual({ N1: 'Bella the brave pending', N2: 'Max available' })
    })
  })

  it('a slow run of yesterday ends when the run of today has begun, also where today nothing changes', async () => {
    await operator.sync([{ number: 'N1', state: 'Reserved' }], firstLoad)
    const today = [{ number: 'N1', state: 'Reserved' }]
    let hasBegun = false
    const database = createInterceptingClient(engine, 'TransactWriteItems', async () => {
      if (hasBegun) return
      hasBegun = true
      await operator.sync(today)
    })

    const yesterday = operator.sync([{ number: 'N1', state: 'Ready' }, { number: 'N2' }], { database, ...firstLoad })

    await expect(yesterday).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('A later run') })
    expect(await operator.list()).toEqual({ N1: 'N1 pending' })
  })

  it('the first day of a file stays as long as its bytes do', async () => {
    const listings = new ListingTable(operator.client, operator.tables.listings)
    const begin = (hash: string, day: string) => listings.beginRun('oak-lane', { hash, day })

    await begin('one', '2026-11-24')
    expect(await begin('one', '2026-11-26')).toMatchObject({ number: 2, firstDay: '2026-11-24' })
    expect(await begin('other', '2026-11-26')).toMatchObject({ number: 3, firstDay: '2026-11-26' })
  })

  it('a lost response of a transaction is no failure', async () => {
    let isLost = false
    const database = createWrappedClient(engine, async (operation, send) => {
      const response = await send()
      if (operation !== 'TransactWriteItems' || isLost) return response
      isLost = true
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    })

    const report = await operator.sync(numberRows(0, 3), { database, ...firstLoad })

    expect(report.json).toMatchObject({ new: 3 })
    expect(Object.keys(await operator.list())).toEqual(['N0', 'N1', 'N2'])
  })

  it('a clock that is off is an error before anything is written', async () => {
    const settings = parseSettings(oakLane)
    const file = { rows: [], hash: '' }
    const environment = { name: 'local' as const, database: operator.client, tables: operator.tables }

    const run = syncFile(environment, undefined, { settings, file, clock: () => Date.now() - 60_000 })

    await expect(run).rejects.toThrow(/^The clock of this machine says .* Set the clock\.$/)
  })

  describe('with --reread', () => {
    const rows: readonly Row[] = [{ number: 'N1' }, { number: 'N2', state: 'Reserved' }, { number: 'N3' }]

    /** Replaces the items of a table, as a restore does. */
    const restoreTable = async (table: string, key: readonly string[], items: readonly object[]) => {
      for (const item of await operator.scan(table)) {
        const Key = Object.fromEntries(key.map((name) => [name, item[name]]))
        await operator.client.send(new DeleteCommand({ TableName: table, Key }))
      }
      for (const item of items) await operator.client.send(new PutCommand({ TableName: table, Item: { ...item } }))
    }

    it('listings that are lost are rebuilt, and nothing is added twice', async () => {
      await operator.sync(rows, firstLoad)
      await operator.changeByHand(await operator.findId('N2'), undefined)
      await operator.sync([{ number: 'N1' }, { number: 'N2', state: 'Reserved' }])
      await restoreTable(operator.tables.listings, ['source', 'reference'], [])
      const ids = [await operator.findId('N1'), await operator.findId('N3')]

      const report = await operator.sync(rows, { reread: true, acceptChanges: true })

      expect(report.json).toMatchObject({ new: 0 })
      expect(await operator.list()).toEqual({ N1: 'N1 available', N3: 'N3 available' })
      expect([await operator.findId('N1'), await operator.findId('N3')]).toEqual(ids)
      expect(await operator.sync(rows)).toMatchObject({ text: expect.stringContaining('0 new, 0 changed') })
    })

    it('pets that are lost or older than their listings get what the file says, under their ids', async () => {
      await operator.sync(rows, firstLoad)
      const backup = (await operator.scan(operator.tables.pets)).filter(({ reference }) => reference !== 'N3')
      const idOfN3 = await operator.findId('N3')
      const tonight = [{ number: 'N1', name: 'Max' }, { number: 'N3' }]
      await operator.sync(tonight)
      await restoreTable(operator.tables.pets, ['id'], backup)

      await operator.sync(tonight, { reread: true, acceptChanges: true })

      expect(await operator.list()).toEqual({ N1: 'Max available', N3: 'N3 available' })
      expect(await operator.findId('N3')).toBe(idOfN3)
    })

    it('changes by hand stay', async () => {
      await operator.sync(rows, firstLoad)
      await operator.changeByHand(await operator.findId('N1'), { name: 'Bella the brave' })

      const report = await operator.sync(rows, { reread: true })

      expect(report.json).toMatchObject({ new: 0, changed: 0 })
      expect(await operator.list()).toMatchObject({ N1: 'Bella the brave available' })
    })
  })
})
