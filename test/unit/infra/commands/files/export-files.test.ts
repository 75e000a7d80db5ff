/** The two forms of an export: CSV for people, and JSON Lines, which `pets restore` reads. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatJsonLine, readJsonLines } from '../../../../../infra/commands/files/json-lines.ts'
import { computeVersion, formatSheet, parseEdits, readEdits } from '../../../../../infra/commands/files/sheet.ts'
import { largestInt64, smallestInt64 } from '../../../../../shared/int64.ts'
import { assignPetId, petStatuses } from '../../../../../shared/pets/pet.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

const bella = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' } as const

/** Reads the edits of a sheet with this text. */
const parse = (text: string) => parseEdits('pets.csv', text)

it('a sheet is read back exactly, with any names, and no row is edited', () => {
  /** Characters that CSV and spreadsheets treat specially. No name has U+0000 or U+FFFD. */
  const special = fc.constantFrom(...'\t\n\r "\',;=+-@\\5½\u0085\u00a0\u180e\u2028\ufeff\u202e')
  const other = fc
    .integer({ min: 1, max: 0x10_ff_ff })
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((character) => character.isWellFormed() && character !== '\ufffd')
  const text = fc.array(fc.oneof(special, other), { minLength: 1 }).map((characters) => characters.join(''))
  const words = fc.oneof(text, fc.constantFrom("'=1", "''", '="A1"', '"Bella"', 'sep=;'))
  const pets = fc.array(
    fc.record({
      name: words.map((name) => (name.trim() === '' ? `${name}.` : name)),
      categoryId: fc.bigInt({ min: smallestInt64, max: largestInt64 }),
      status: fc.constantFrom(...petStatuses),
      number: words,
    }),
    { minLength: 1 },
  )
  const property = fc.property(pets, (drawnPets) => {
    const sheetPets = drawnPets.map(({ number, ...pet }, index) => ({
      ...assignPetId(BigInt(index + 1), pet),
      source: 'elm-street',
      number,
    }))

    const edits = parse([...formatSheet(sheetPets)].join('').replace('\ufeff', ''))

    expect(edits.map(({ id, values }) => assignPetId(id, values as typeof bella))).toEqual(
      drawnPets.map(({ number, ...pet }, index) => assignPetId(BigInt(index + 1), pet)),
    )
    expect(edits.every(({ isAsExported }) => isAsExported)).toBe(true)
  })
  fc.assert(property)
})

it.each(['=1+1', '+1', '-Bella', '@a', "'Tis", '\tBella', '\rBella'])(
  'a cell that begins as %j does gets an apostrophe, by which a spreadsheet takes it for text',
  (name) => {
    const [, row] = [...formatSheet([{ ...bella, name }])]

    expect(row).toContain(`5,"'${name}",1,`)
  },
)

it('an export has source and number of each pet, and keeps texts that are no formulas as they are', () => {
  const pet = { ...bella, name: "D'Artagnan", source: 'elm-street', number: '007' }

  const [, row] = [...formatSheet([pet])]

  expect(row).toContain(`5,"D'Artagnan",1,`)
  expect(row).toContain(`,"elm-street","007","${computeVersion(pet)}"\n`)
})

it('a version depends on id and fields alone', () => {
  const version = computeVersion(bella)

  expect(computeVersion({ ...bella, source: 'elm-street', number: '71' })).toBe(version)
  expect(computeVersion({ ...bella, name: 'Belle' })).not.toBe(version)
  expect(computeVersion({ ...bella, id: 6n })).not.toBe(version)
})

it('an export that a spreadsheet has saved with its own delimiter and line ends is read, in any order of columns', () => {
  const text = 'sep=;\r\nstatus;version;categoryId;name;id;;\r\nsold;v1;-1;"Max, the ""big""";5;;\r\n'

  const values = { name: 'Max, the "big"', categoryId: -1n, status: 'sold' }
  expect(parse(text)).toMatchObject([{ id: 5n, version: 'v1', isAsExported: false, values }])
})

it('an export in UTF-16 is read, and one in another encoding is refused', async () => {
  const file = join(createTemporaryFolder(), 'pets.txt')
  writeFileSync(file, '\ufeffid\tname\tversion\r\n5\tZoë\tv1\r\n', 'utf16le')
  expect(await readEdits(file)).toMatchObject([{ id: 5n, values: { name: 'Zoë' } }])

  writeFileSync(file, 'id,name,version\n5,Zoë,v1', 'latin1')
  await expect(readEdits(file)).rejects.toThrow('is not UTF-8.')
})

it('a name of several lines with a delimiter is read if nobody has edited its row', () => {
  const name = 'Max,\nthe big one'
  const version = computeVersion({ ...bella, name })

  expect(parse(`id,name,categoryId,status,version\n5,"${name}",1,available,${version}\n`)).toMatchObject([
    { values: { name }, isAsExported: true },
  ])
})

it.each([
  { text: 'id,name,name,version\n', mistake: 'the header must have id and version' },
  { text: 'sep=;\nid;nmae;version\n', mistake: 'It has "nmae".' },
  { text: 'id,name\n', mistake: 'It lacks "version".' },
  {
    text: 'id,name,version\n5,"A,v1\n6,B",v2\n',
    mistake: 'line 2: a cell has the end of a line and a delimiter: a quotation mark may have joined two rows.',
  },
  { text: 'id,name,version\n5,A,\n', mistake: 'line 2: it has no version' },
  { text: 'id,version\n5,v1\n5,v1\n', mistake: 'line 3: the id 5 is in line 2 too.' },
  {
    text: 'id,version\n2.4E+14,v1\n',
    mistake: 'line 2: id must be a whole number from 1 to 9007199254740991; it is "2.4E+14".',
  },
  { text: 'id,categoryId,version\n5,1.2E+18,v1\n', mistake: 'line 2: categoryId must be an integer from' },
  {
    text: 'id,status,version\n5,,v1\n',
    mistake: 'line 2: status is missing; it must be one of available, pending, sold.',
  },
])('an export is refused with the mistake "$mistake"', ({ text, mistake }) => {
  const message = expect.stringMatching(/^pets\.csv: (.|\n)* Nothing is changed\.$/)

  expect(() => parse(text)).toThrow(expect.objectContaining({ exitCode: 4, message }))
  expect(() => parse(text)).toThrow(mistake)
})

it('each mistake of an export is a line that begins with the name of the file', () => {
  expect(() => parse('id,name,version\nx,A,v1\n5,A,\n')).toThrow(/^pets\.csv: line 2: .*\npets\.csv: line 3: /)
})

/** Reads a file of JSON lines with this text. */
const readLines = (text: string) => {
  const file = join(createTemporaryFolder(), 'pets.jsonl')
  writeFileSync(file, text)
  return readJsonLines(file)
}

it('a JSON line is read back exactly, and no program sees an end of a line within it', async () => {
  const values = { id: 9_007_199_254_740_993n, name: 'a\nb\u2028c\u2029' }

  const line = formatJsonLine(values)

  expect(line.trimEnd()).not.toMatch(/[\n\u2028\u2029]/)
  expect(await readLines(`\n${line}`)).toEqual([{ line: 2, values }])
})

it.each([
  { kind: 'CSV', text: 'id,name\n', mistake: 'line 1 is no JSON object.' },
  { kind: 'a JSON array', text: '{"id":5}\n[5]\n', mistake: 'line 2 is no JSON object.' },
  { kind: 'no text', text: ' \n', mistake: 'the file is empty.' },
])('a file of JSON lines with $kind is refused', async ({ text, mistake }) => {
  await expect(readLines(text)).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining(mistake) })
})

it('a file of JSON lines that does not exist is named once, with what to check', async () => {
  await expect(readJsonLines('/nowhere/backup.jsonl')).rejects.toThrow(
    '/nowhere/backup.jsonl: the file does not exist. Check the path. Nothing is changed.',
  )
})
