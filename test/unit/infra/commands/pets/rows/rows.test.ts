import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeVersion } from '../../../../../../infra/commands/pets/rows/columns.ts'
import { type Format, formatRows } from '../../../../../../infra/commands/pets/rows/format-rows.ts'
import { readRows } from '../../../../../../infra/commands/pets/rows/read-rows.ts'
import { largestInt64, smallestInt64 } from '../../../../../../shared/int64.ts'
import { assignPetId, petStatuses } from '../../../../../../shared/pets/pet.ts'
import { createTemporaryFolder } from '../../../../../fixtures/machine/temporary-folder.ts'

const bella = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' } as const

const folder = createTemporaryFolder()

/** Reads the rows of a file with this content. */
const read = (content: string | Uint8Array, mostRows?: number) => {
  const file = join(folder, 'rows')
  writeFileSync(file, content)
  return readRows(file, () => undefined, mostRows)
}

describe.each(['csv', 'jsonl'] satisfies readonly Format[])('an export as %s', (format) => {
  it('is read back exactly, with any names and references, and no row is edited', async () => {
    /** Characters that file formats and spreadsheets treat specially. */
    const special = fc.constantFrom(...'\u0000\t\n\r "\',;=+-@＝\\5½\u0085\u2028\u2029\ufeff\ufffd\u202e')
    const other = fc
      .integer({ min: 0, max: 0x10_ff_ff })
      .map((codePoint) => String.fromCodePoint(codePoint))
      .filter((character) => character.isWellFormed())
    const text = fc.array(fc.oneof(special, other), { minLength: 1 }).map((characters) => characters.join(''))
    const words = fc.oneof(text, fc.constantFrom('007', "'007", 'true', 'WAHR', '=1+1', "'", 'May 5'))
    const values = fc.record({
      categoryId: fc.bigInt({ min: smallestInt64, max: largestInt64 }),
      status: fc.constantFrom(...petStatuses),
    })
    const rows = fc.array(fc.tuple(values, words, words), { minLength: 1 })
    const property = fc.asyncProperty(rows, async (drawn) => {
      const pets = drawn.map(([pet, name, reference], index) => {
        // The dot makes each name valid: a name may not be only spaces.
        const newPet = { ...pet, name: name.trim() === '' ? `${name}.` : name }
        return { ...assignPetId(BigInt(index + 1), newPet), source: 'elm-street', reference }
      })

      const rowsRead = await read([...formatRows(pets, format)].join(''))

      const petsRead = rowsRead.map((row) => ({
        ...assignPetId(row.id, row.values as typeof bella),
        source: row.source,
        reference: row.reference,
      }))
      expect(petsRead).toEqual(pets)
      expect(rowsRead.every(({ isAsExported }) => isAsExported)).toBe(true)
    })
    await fc.assert(property)
  })
})

it.each([
  '007',
  '3E2',
  '1/2',
  'May 5',
  'MAR 3',
  'SEPT2',
  'true',
  'WAHR',
  '(5)',
  '$5',
  '5 %',
  '12:30',
  '=1+1',
  '@a',
  '½',
])('the name %s is written with an apostrophe, by which a spreadsheet takes it for text', (name) => {
  const [, row] = [...formatRows([{ ...bella, name }], 'csv')]

  expect(row).toContain(`5,'${name},1,`)
})

it.each(['Bella', "D'Artagnan", 'Max (the big one)', 'Truelove'])('the name %s is written as it is', (name) => {
  const [, row] = [...formatRows([{ ...bella, name }], 'csv')]

  expect(row).toContain(`5,${name},1,`)
})

it('a version depends on the values that are present, and on no field that a pet lacks', () => {
  const version = computeVersion(bella)

  expect(computeVersion({ ...bella, source: undefined })).toBe(version)
  expect(computeVersion({ ...bella, name: 'Belle' })).not.toBe(version)
  expect(computeVersion({ ...bella, reference: '71' })).not.toBe(version)
})

describe('a file that programs have saved', () => {
  it.each([
    { kind: 'CSV with commas', content: 'id,name,categoryId,status\n5,"Max, the ""big""\none",-1,sold\n' },
    { kind: 'CSV with semicolons', content: 'id;name;categoryId;status\r\n5;"Max, the ""big""\none";-1;sold\r\n' },
    {
      kind: 'CSV with tabs',
      content: '\ufeffid\tname\tcategoryId\tstatus\n5\t"Max, the ""big""\none"\t-1\tsold\n\t\t\t\n',
    },
    {
      kind: 'CSV that names the delimiter',
      content: 'sep=;\nid;name;categoryId;status\n5;"Max, the ""big""\none";-1;sold',
    },
    {
      kind: 'CSV with other columns and empty ones at the end',
      content: 'status,categoryId,name,id,,\nsold,-1,"Max, the ""big""\none",5,,\n\n',
    },
    {
      kind: 'JSON Lines',
      content: '\n{"id":5,"status":"sold","name":"Max, the \\"big\\"\\none","categoryId":-1.0}\r\n',
    },
  ])('is read as $kind', async ({ content }) => {
    const [row] = await read(content)

    expect(row).toMatchObject({ id: 5n, values: { name: 'Max, the "big"\none', categoryId: -1n, status: 'sold' } })
  })

  it.each([
    { kind: 'no text', content: '\n', mistake: 'The file is empty.' },
    { kind: 'text in Latin 1', content: Buffer.from('id,name\n5,Zoë', 'latin1'), mistake: 'It is not UTF-8.' },
    { kind: 'a repeated column', content: 'id,name,name\n', mistake: 'Line 1 must name the columns' },
    { kind: 'an unknown column', content: 'sep=;\nid;nmae\n', mistake: 'Line 2 must name the columns' },
    { kind: 'a value too many', content: 'id,name\n5,A,B\n', mistake: 'Line 2: it has 3 values, but the header has 2' },
    {
      kind: 'a quotation mark that is not closed',
      content: 'id,name\r\n5,"A\r\nB"\n6,"A\n7,A\n',
      mistake: 'Line 4: a quotation mark is not closed',
    },
    { kind: 'a line that is not JSON', content: '{"id":5}\n{"id"', mistake: 'Line 2: it is not JSON' },
    { kind: 'a JSON array', content: '[\n  {"id":5}\n]', mistake: 'It is a JSON array. Write JSON Lines' },
    {
      kind: 'an id that a spreadsheet has changed',
      content: 'id,name\n2.4587E+14,A\n',
      mistake: 'Line 2: id must be a whole number from 1 to 9007199254740991; it is "2.4587E+14". If a spreadsheet has',
    },
    {
      kind: 'a category that a spreadsheet has changed',
      content: 'id,categoryId\n5,1.23457E+18\n',
      mistake: 'it is "1.23457E+18". If a spreadsheet has changed it',
    },
  ])('is refused with $kind', async ({ content, mistake }) => {
    await expect(read(content)).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining(mistake) })
  })

  it('is refused with more rows than may be', async () => {
    expect(await read('id\n5\n6\n', 2)).toHaveLength(2)
    await expect(read('id\n5\n6\n', 1)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining('It has more than 1 rows.'),
    })
  })
})
