import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { allPets } from '../../../../../infra/operations/pets/export-pets.ts'
import { readPetCommand } from '../../../../../infra/operations/pets/pet-command.ts'
import { PetTable } from '../../../../../infra/operations/pets/pet-table.ts'
import { auditFile, openAudit } from '../../../../../infra/operations/target/audit.ts'
import { writeEnvironmentFile } from '../../../../../infra/operations/target/environment-file.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { clientOf, createFreshTables, type RunningEngine, type TableNames } from '../../../../fixtures/engines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { seededRandom } from '../../../../fixtures/seeded-random.ts'
import { sized } from '../../../../fixtures/size.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-pets-'))
afterAll(() => rmSync(folder, { recursive: true }))

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }

const [dynalite] = inject('engines')
const engine: RunningEngine = { name: 'dynalite', endpoint: dynalite?.endpoint ?? '' }

describe('npm run pets', () => {
  let data: string
  let tables: TableNames
  let store: PetStore

  /** The file of a local environment that runs in this process. */
  beforeEach(async () => {
    data = mkdtempSync(join(folder, 'data-'))
    tables = await createFreshTables(engine)
    store = new PetStore(clientOf(engine).client, tables.pets)
    writeEnvironmentFile(data, {
      tables,
      usagePlanIds: { free: '', pro: '', business: '', enterprise: '' },
      pid: process.pid,
      port: 0,
      baseUrl: '',
      databaseEndpoint: engine.endpoint,
    })
  })

  const all = (): Promise<Pet[]> => Array.fromAsync(allPets(store, undefined))

  const local = () => ['--env', 'local', '--data', data]

  const start = (words: readonly string[], within: readonly string[] = []) =>
    startNode(['infra/operations/pets/pets.ts', ...words, ...local()], { within })

  /** Runs a command in this process. */
  const run = async (words: readonly string[]) => {
    const command = readPetCommand([...words, ...local()])
    const table = new PetTable(clientOf(engine).client, tables.pets)
    const openLocalAudit = () => openAudit(command.target, command.why)
    const place = { environment: 'local', tableName: tables.pets, table, openAudit: openLocalAudit }
    return (await command.run(place))?.json
  }

  it('leads a pet through its life, and records who did what and why', async () => {
    const [arrivals, kept] = [join(data, 'arrivals.csv'), join(data, 'kept.jsonl')]
    writeFileSync(arrivals, 'name;categoryId\nBella;1\n')
    expect(await run(['import', arrivals, '--why', 'arrivals'])).toMatchObject({ created: 1 })
    expect(await run(['import', arrivals])).toMatchObject({ created: 0, importedBefore: true })
    const [pet = { id: 0n }] = await all()
    const id = `${pet.id}`
    const sold = { ...pet, status: 'sold' }
    expect(await run(['set', id, '--status', 'sold', '--why', 'adopted'])).toEqual({
      old: pet,
      new: sold,
      changed: true,
    })
    expect(await run(['set', id, '--status', 'sold'])).toMatchObject({ changed: false })
    expect(await run(['show', id])).toEqual({ pets: [sold] })
    expect(await run(['count'])).toMatchObject({ available: 0, pending: 0, sold: 1, total: 1 })
    expect(await run(['remove', id, '--yes', '--out', kept])).toEqual({ removed: [sold] })
    expect(await all()).toEqual([])
    expect(await run(['import', kept, '--restore', '--dry-run'])).toMatchObject({ restored: 1 })
    expect(await run(['import', kept, '--restore'])).toMatchObject({ restored: 1 })
    expect(await all()).toEqual([sold])
    const lines = readFileSync(auditFile(data), 'utf8').trim().split('\n')
    const entry = { who: userInfo().username, environment: 'local', time: expect.any(String), ids: [id] }
    const before = { old: { status: 'available' }, new: { status: 'sold' } }
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { ...entry, action: 'pets import', old: null, new: { status: 'available' }, why: 'arrivals' },
      { ...entry, action: 'pets set', ...before, why: 'adopted' },
      { ...entry, action: 'pets remove', old: { status: 'sold' }, new: null },
      { ...entry, action: 'pets import', old: null, new: { status: 'sold' } },
    ])
  })

  it('shows with --dry-run what an import would do, and does nothing', async () => {
    await store.put(bella, 'attempt')
    const rows = join(data, 'rows.csv')
    writeFileSync(rows, 'id,name,categoryId,status\n,Max,2,\n5,Bella,1,sold\n')
    expect(await run(['import', rows, '--dry-run', '--json'])).toMatchObject({
      ...{ created: 1, changed: 1 },
      steps: [
        { line: 2, action: 'create', old: null, new: { name: 'Max', status: 'available' } },
        { line: 3, action: 'change', old: bella, new: { ...bella, status: 'sold' } },
      ],
    })
    expect([await all(), readdirSync(data)]).toEqual([[bella], ['environment.json', 'rows.csv']])
  })

  it.each<[string[], RegExp]>([
    [['show', '7'], /^No pet has the id 7\.$/],
    [['set', '7', '--status', 'sold'], /^No pet has the id 7\.$/],
    [['remove', '5', '7', '--yes'], /^No pet has the id 7\.$/],
    [['set', '5'], /^Give --status, --name or --category\.$/],
    [['set', '5', '--status', 'Sold', '--category', '1e3'], /^--\w+ must be .*\n--\w+ must be .*$/],
    [['show', '2.44E+14'], /"2\.44E\+14" is no id of a pet/],
    [['import', 'nowhere.csv'], /^nowhere\.csv is no file that can be read/],
    [['import', '/dev/null'], /^The file is empty\.$/],
    [['export', '--status', 'lost'], /It must be available, pending or sold/],
    [['export', '--json'], /^--json needs --out here\.$/],
    [['remove', '5', '--yes', '--out', 'package.json'], /^package\.json exists\. Name another file\.$/],
    [['set', '5', '--status', 'sold', '--env', 'production'], /add --confirm production/],
    [['import', '-', '--env', 'production'], /add --confirm production/],
    [['remove', '5', '--yes', '--env', 'production', '--confirm', 'production'], /^Production does not take --yes/],
  ])('says in a sentence what is wrong with %j, and changes nothing', async (words, message) => {
    await store.put(bella, 'attempt')
    const read = words.includes('--env') ? async () => readPetCommand(words) : () => run(words)
    const error: unknown = await read().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UserError)
    expect(String(error).replace(/^UserError: /, '')).toMatch(message)
    expect(await all()).toEqual([bella])
  })

  it.each<[string, string, string, RegExp]>([
    [
      'removes nothing where the answer is no',
      'remove 5',
      'echo no | "$0" "$@"',
      /Bella\nRemove 1 of local\? .*Nothing/,
    ],
    [
      'writes no part of a file where the disk is full',
      'export',
      '"$0" "$@" > /dev/full',
      /^(\d.*\n)*The disk is full \(/,
    ],
  ])('%s, and says so in a sentence', async (_what, words, within, message) => {
    await store.put(bella, 'attempt')
    const { ended, errors } = start(words.split(' '), ['sh', '-c', within])
    expect([await ended, errors()]).toEqual([1, expect.stringMatching(message)])
    expect(await all()).toEqual([bella])
  })

  const kills = sized(2, 100)

  it(`imports each row exactly once though it is killed ${kills} times`, async () => {
    const rows = sized(300, 2_000)
    const random = seededRandom(kills)
    const lines = ['name,categoryId', ...Array.from({ length: rows }, (_, row) => `Pet ${row},${row}`)]
    const [file, out] = [join(data, 'rows.csv'), join(data, 'ids.csv')]
    writeFileSync(file, lines.join('\n'))
    const command = ['import', file, '--out', out]
    /** Each complete import adds every row once. */
    const expectEachRow = async (imports: number): Promise<void> => {
      const found = (await all()).map(({ categoryId }) => Number(categoryId)).toSorted((one, other) => one - other)
      expect(found).toEqual(Array.from({ length: rows * imports }, (_, index) => Math.floor(index / imports)))
    }
    let imports = 0
    for (let left = kills; left > 0; ) {
      const { child, ended, errors } = start(command)
      // The first line of progress: the checks are over.
      child.stderr?.once('data', () => setTimeout(() => child.kill('SIGKILL'), random() * sized(200, 600)))
      const code = await ended
      if (code === null) left -= 1
      else {
        // It was faster than the signal.
        expect([code, errors()]).toEqual([0, expect.stringContaining('100 %')])
        imports += 1
        await expectEachRow(imports)
        rmSync(`${file}.local.import.json`)
      }
    }
    expect(await start(command).ended).toBe(0)
    await expectEachRow(imports + 1)
    expect(readFileSync(out, 'utf8').match(/^\d+,Pet \d+,/gm)).toHaveLength(rows)
  })
})
