import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { auditFile } from '../../../../../infra/operations/environment/audit.ts'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import { assignPetId, type Pet } from '../../../../../shared/pets/pet.ts'
import { registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'
import { contractPets } from '../../../../fixtures/contract-pets.ts'
import { clientOf } from '../../../../fixtures/engines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { sized } from '../../../../fixtures/size.ts'
import { colleagueAt } from './colleague.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }

describe('npm run pets', () => {
  let here: Awaited<ReturnType<typeof registerLocalEnvironment>>
  let colleague: ReturnType<typeof colleagueAt>
  beforeEach(async () => {
    here = await registerLocalEnvironment()
    colleague = colleagueAt({ database: clientOf(here.engine).client, tables: here.tables })
    await colleague.change(5n, bella)
  })

  const at = (name: string): string => join(here.data, name)
  const run = (...words: readonly string[]) => runToolInProcess(createPetsTool(), [...words, ...here.words])
  const start = (...words: readonly string[]) => startNode(['infra/operations/pets/pets.ts', ...words, ...here.words])
  const read = async (...words: readonly string[]) => {
    const { output, errors, exitCode } = await run(...words, '--json')
    expect([errors, exitCode]).toEqual(['', 0])
    return JSON.parse(output)
  }
  const recorded = () => readFileSync(auditFile(here.data), 'utf8').match(/.+/g) ?? []

  /** Characters that formats and spreadsheets treat in their own way, and any others. */
  const special = [...'\u0000\t\n\r "\',;=+-@＝\\\u0085\u2028\u2029\ufeff\ufffd\u202e']
  const character = fc.oneof(fc.constantFrom(...special), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  const names = fc.string({ unit: character, minLength: 1, maxLength: 20 })
  const drawn = fc.tuple(contractPets(), names).map(([pet, name]) => ({ ...pet, name: `${name}x` }))

  it.each(['csv', 'jsonl'])('brings back what a backup as %s has, exactly, whatever is in it', async (format) => {
    const drawnPets = [...special.map((name) => ({ ...bella, name: `${name}x` })), ...fc.sample(drawn, sized(60, 600))]
    const pets = [bella, ...drawnPets.map((pet, index) => assignPetId(6n + BigInt(index), pet))]
    await Promise.all(pets.map((pet) => colleague.change(pet.id, pet)))
    expect(await colleague.all()).toEqual(pets)
    const backup = at(`backup.${format}`)
    await read('export', '--out', backup)
    const printed = start('export', ...(format === 'csv' ? [] : ['--json']))
    expect([await printed.ended, printed.output()]).toEqual([0, readFileSync(backup, 'utf8')])
    await read('remove', ...pets.map(({ id }) => String(id)))
    expect(await colleague.all()).toEqual([])
    expect(await read('import', backup, '--restore')).toMatchObject({ restored: pets.length })
    expect(await colleague.all()).toEqual(pets)
  })

  it('leads a pet through its life, and records who did what and why', async () => {
    await colleague.change(5n, undefined)
    writeFileSync(at('arrivals.csv'), 'name;categoryId\nBella;1\n')
    expect(await read('import', at('arrivals.csv'), '--why', 'arrivals')).toMatchObject({ created: 1 })
    const [pet] = await colleague.all()
    const id = `${pet?.id}`
    const sold = { id: Number(id), name: 'Bella', categoryId: 1, status: 'sold' }
    const set = await read('set', id, '--status', 'sold', '--why', 'adopted')
    expect(set).toMatchObject({ changed: 1, steps: [{ outcome: 'changed', old: { status: 'available' }, new: sold }] })
    expect(await read('set', id, '--status', 'sold')).toMatchObject({ changed: 0, left: 1 })
    expect(await read('show', id, id)).toEqual({ pets: [sold] })
    expect(await read('remove', id, '--out', at('kept.JSONL'))).toMatchObject({ removed: 1, steps: [{ old: sold }] })
    expect(await colleague.all()).toEqual([])
    const restore = ['import', at('kept.JSONL'), '--restore']
    expect((await run(...restore, '--dry-run')).output).toMatch(/^Nothing is written\..*:\n.*\n.*\n1 restored\.\n$/)
    expect(await read(...restore)).toMatchObject({ restored: 1 })
    expect(await colleague.all()).toEqual([{ ...pet, status: 'sold' }])
    const entry = { who: userInfo().username, environment: 'local', time: expect.any(String), ids: [id] }
    const before = { old: { status: 'available' }, new: { status: 'sold' } }
    expect(recorded().map((line) => JSON.parse(line))).toMatchObject([
      { ...entry, action: 'pets import', old: null, new: { status: 'available' }, why: 'arrivals' },
      { ...entry, action: 'pets set', ...before, why: 'adopted' },
      { ...entry, action: 'pets remove', old: { status: 'sold' }, new: null },
      { ...entry, action: 'pets import', old: null, new: { status: 'sold' } },
    ])
  })

  it('reads and writes files where the command was called, and replaces none', async () => {
    vi.stubEnv('INIT_CWD', here.data)
    expect((await run('export', '--out', 'pets.csv')).output).toBe(`${at('pets.csv')} has 1 pet.\n`)
    expect(await read('import', 'pets.csv')).toMatchObject({ left: 1 })
    symlinkSync('nowhere', at('link.csv'))
    const before = readdirSync(here.data)
    for (const out of ['pets.csv', 'link.csv', '/dev/null', '.']) {
      for (const words of [['export'], ['remove', '5']]) {
        const refusal = { errors: expect.stringMatching(/^\/.* exists\. Name another file\.\n$/), exitCode: 1 }
        expect(await run(...words, '--out', out)).toMatchObject(refusal)
      }
    }
    expect([await colleague.all(), readdirSync(here.data)]).toEqual([[bella], before])
    vi.unstubAllEnvs()
  })

  it.each<[string[], RegExp]>([
    [['show', '7'], /^No pet has the id 7\.\n$/],
    [['set', '7', '--status', 'sold'], /^No pet has the id 7\.\n$/],
    [['remove', '5', '7'], /^No pet has the id 7\.\n$/],
    [['set', '5'], /^Give a value to change/],
    [['set', '5', '--category', '1e3'], /'--category <value>' argument '1e3' is invalid\. It must be an integer/],
    [['show', '2.44E+14'], /'2\.44E\+14' is invalid for argument 'id'\. It must be a whole number/],
    [['import', '/nowhere.csv'], /^\/nowhere\.csv is no file that can be read/],
    [['import', '/dev/null'], /^The file is empty\.\n$/],
    [['remove', '5', '--out', '/no-folder/x.csv'], /^The folder \/no-folder does not exist\.\n$/],
  ])('says in a sentence what is wrong with %j, and changes nothing', async (words, message) => {
    expect(await run(...words)).toMatchObject({ errors: expect.stringMatching(message), exitCode: 1 })
    expect(await colleague.all()).toEqual([bella])
  })

  const kills = Number(process.env['PET_IMPORT_KILLS'] ?? sized(3, 20))

  const title = `adds each pet once and reports what was refused though an import is killed ${kills} times`
  it(title, { timeout: kills * 60_000 }, async () => {
    const waits = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), kills)
    const [file, result] = [at('rows.jsonl'), at('result.csv')]
    const names = Array.from({ length: Math.max(300, kills * 20) }, (_, row) => `Pet ${row}`)
    await read('export', '--out', at('pets.jsonl'))
    const edited = readFileSync(at('pets.jsonl'), 'utf8').replace('available', 'pending')
    writeFileSync(file, edited + names.map((name) => `{"name":"${name}","categoryId":7}\n`).join(''))
    await colleague.change(5n, { ...bella, name: 'Theirs' })
    const next = () => (existsSync(result) ? ['import', result] : ['import', file, '--out', result])
    const size = () => statSync(auditFile(here.data), { throwIfNoEntry: false })?.size ?? 0
    for (const [killed, wait] of waits.entries()) {
      const before = size()
      const { child, ended } = start(...next(), '--per-second', '15')
      // Some before it writes, the others in the middle of its writes. All together it does half of the rows until then.
      if (killed % 4 === 0) await sleep(wait * 800)
      else {
        while (size() === before && child.exitCode === null) await sleep(5)
        await sleep(wait * 30)
      }
      child.kill('SIGKILL')
      expect(await ended).toBe(null)
    }
    expect((await colleague.all()).length).toBeLessThan(names.length)
    const { output, exitCode } = await run(...next(), '--json')
    const theirs = { id: 5, name: 'Theirs', categoryId: 1, status: 'available' }
    const yours = { ...theirs, name: 'Bella', status: 'pending' }
    expect([JSON.parse(output), exitCode]).toMatchObject([{ refused: 1, steps: [{ theirs, yours }] }, 1])
    expect((await run('import', result)).output).toMatch(/, 1 refused\.\n$/)
    expect((await colleague.all()).map(({ name }) => name).toSorted()).toEqual([...names, 'Theirs'].toSorted())
  })
})
