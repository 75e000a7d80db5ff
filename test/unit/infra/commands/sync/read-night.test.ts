import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseShelterFile, readNight } from '../../../../../infra/commands/sync/read-night.ts'
import { formatFile, settingsText } from '../../../../fixtures/commands/nightly-file.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

/** The settings of the source oak-lane: the columns of its files, and what the words in them stand for. */
const oakLane = {
  source: 'oak-lane',
  columns: { number: 'No', name: 'Name', category: 'Kind', status: 'State' },
  categories: new Map([
    ['Dog', 11n],
    ['Cat', 12n],
  ]),
  statuses: new Map([
    ['Ready', 'available'],
    ['On hold', 'hidden'],
  ] as const),
}

const header = 'No,Name,Kind,State\n'

// The animals of each file that is read in the next test.
const bella = { number: 'A1', name: 'Bella', categoryId: 11n, status: 'available' }
const max = { number: 'A2', name: 'Max', categoryId: 12n, status: 'hidden' }

/** Reads a file. @param encoding the encoding that the settings name, if they name one */
const parse = (content: string | Buffer, encoding?: string) =>
  parseShelterFile(Buffer.from(content), { ...oakLane, encoding })

it.each([
  { kind: 'commas', text: `${header}A1,Bella,Dog,Ready\nA2,Max,Cat,On hold\n` },
  { kind: 'semicolons', text: '"No";"Name";"Kind";"State"\r\n"A1";"Bella";"Dog";"Ready"\r\nA2;Max;Cat;On hold' },
  {
    kind: 'tabs and an empty column',
    text: 'No\t\tName\tKind\tState\nA1\t\tBella\tDog\tReady\nA2\t\tMax\tCat\tOn hold',
  },
  {
    kind: 'quoted cells of TSV',
    text: 'No\tName\tKind\tState\n"A1"\t"Bella"\tDog\tReady\nA2\tMax\tCat\t"On hold"\n',
  },
  { kind: 'cells in white space', text: 'No , Name,Kind,State\n A1,Bella , "Dog" ,Ready\t\nA2,Max,Cat, On hold\n' },
  { kind: 'a repeated header', text: `${header}A1,Bella,Dog,Ready\n${header}A2,Max,Cat,On hold\n` },
  { kind: 'empty rows', text: `\n${header}A1,Bella,Dog,Ready\n\nA2,Max,Cat,On hold\n,,,\n,,,,,\n` },
  { kind: 'delimiters at the ends of rows', text: `${header}A1,Bella,Dog,Ready,\nA2,Max,Cat,On hold,,\n` },
  { kind: 'a delimiter that ends the header', text: 'No,Name,Kind,State,\nA1,Bella,Dog,Ready\nA2,Max,Cat,On hold\n' },
  { kind: 'a line "sep=;"', text: 'sep=;\r\nNo;Name;Kind;State\r\nA1;Bella;Dog;Ready\r\nA2;Max;Cat;On hold\r\n' },
  {
    kind: 'texts of several lines',
    // The first column, `M`, is none of the settings.
    text: `M,${header}"a, ""b""\r\n\nc",A1,Bella,Dog,Ready\n5" tall,A2,Max,Cat,On hold\n`,
  },
  { kind: 'formulas of texts', text: `${header}="A1",="Bella",Dog,Ready\n="A2","=""Max""",Cat,On hold\n` },
  {
    kind: 'invisible characters',
    text: 'No\u200b,Name,Kind,State\nA1\u200b\u0007,\ufeffBella,Dog,Ready\nA2,Max,Cat,On\u00a0hold\n',
  },
  {
    kind: 'rows that look alike',
    // The number of the last row has an invisible character, so it is that of the row before.
    text: `${header}A1,Bella,Dog,Ready\nA2,Max,Cat,On hold\nA\u00ad2,Max,Cat,On hold\n`,
  },
])('animals are read from a file with $kind', ({ text }) => {
  expect([...parse(text).animals.values()]).toEqual([bella, max])
})

const zoeFile = `${header}A1,Zoë,Dog,Ready\n`

it.each([
  { kind: 'UTF-8 with a byte order mark', bytes: Buffer.from(`\ufeff${zoeFile}`) },
  { kind: 'UTF-8 with an accent of its own', bytes: Buffer.from(zoeFile.normalize('NFD')) },
  { kind: 'UTF-16', bytes: Buffer.from(`\ufeff${zoeFile}`, 'utf16le') },
  { kind: 'UTF-16 with the other byte order', bytes: Buffer.from(`\ufeff${zoeFile}`, 'utf16le').swap16() },
  { kind: 'a named encoding', bytes: Buffer.from(zoeFile, 'latin1'), encoding: 'windows-1252' },
])('animals are read from a file in $kind', ({ bytes, encoding }) => {
  expect(parse(bytes, encoding).animals.get('A1')?.name).toBe('Zoë')
})

it('a file in UTF-8 is read although the settings name another encoding, with a finding', () => {
  const { animals, findings } = parse(zoeFile, 'windows-1252')

  expect(animals.get('A1')?.name).toBe('Zoë')
  expect(findings).toEqual(['the file is UTF-8, and is read so. Take "encoding: windows-1252" out of the settings.'])
  expect(parse(header, 'windows-1252').findings, 'of a file with the same bytes in both encodings').toEqual([])
})

it('the byte order mark of UTF-8 comes before the named encoding, without a finding', () => {
  const { animals, findings } = parse(`\ufeff${zoeFile}`, 'windows-1252')

  expect(animals.get('A1')?.name).toBe('Zoë')
  expect(findings).toEqual([])
})

it.each(['"Bella" (blind)', '"Bella "Boo" B"', '"Bella'])('the name %s is read from TSV as it is', (name) => {
  const text = `No\tName\tKind\tState\nA1\t${name}\tDog\tReady\nA2\tMax"\tDog\tReady\n`

  expect([...parse(text).animals.values()]).toMatchObject([{ name }, { name: 'Max"' }])
})

it('an animal without a name gets its number as its name, and a note says so', () => {
  const { animals, notes } = parse(`${header}A1,,Dog,Ready\nA2,\u200b,Dog,Ready\nA3,,Dog,unknown\n`)

  expect([...animals.values()].map(({ name }) => name)).toEqual(['A1', 'A2'])
  expect(notes).toEqual(['without a name, so shown by number: 2 animals (A1, A2).'])
})

// A finding is a line that a person should look at, and a note one that needs nobody.
it('rows with words that the settings lack are one finding for each word, with a count and three numbers', () => {
  const rowsOfUnknownStatus = [1, 2, 3, 4].map((number) => `B${number},Milo,Dog,Available now\n`).join('')
  const text = `${header}A1,Bella,Dog,Ready\n${rowsOfUnknownStatus}C1,Milo,Horse,Ready\n`

  const { animals, unknown, findings } = parse(text)

  expect([...animals.keys()]).toEqual(['A1'])
  expect(unknown.slice(0, 1)).toEqual([
    { number: 'B1', line: 3, reason: 'the settings lack the status "Available now"' },
  ])
  expect(findings).toEqual([
    'the settings lack the status "Available now": 4 animals (B1, B2, B3 and others).',
    'the settings lack the category "Horse": 1 animal (C1).',
  ])
})

it('rows with the same number that differ are a finding, also if two of three agree', () => {
  const { animals, findings } = parse(`${header}A1,Bella,Dog,Ready\nA1,Milo,Dog,Ready\nA1,Bella,Dog,Ready\n`)

  expect(animals.size).toBe(0)
  expect(findings).toEqual(['rows with the same number differ: 1 animal (A1).'])
})

it('a name that the contract does not allow is a finding', () => {
  expect(parse(`${header}A1,${'x'.repeat(256)},Dog,Ready\n`).findings).toEqual([
    expect.stringMatching(/^the name must be a string of 1 to 255 characters.*: 1 animal \(A1\)\.$/),
  ])
})

it('a header alone is a file without animals', () => {
  expect(parse(header).animals.size).toBe(0)
})

it.each([
  { text: ' \n', sentence: 'the file is empty.' },
  { text: 'Nr;Tier\n1;Bella\n', sentence: 'the header lacks "No", "Name", "Kind", "State". It has "Nr", "Tier".' },
  { text: 'No,Name,Kind,State,No\nA1,a,b,c,d\n', sentence: 'the header has "No" twice.' },
  {
    text: `${header}A1,Bella,Dog,"Rea`,
    sentence: 'line 2: the cell "State" begins with a quotation mark that is never closed. The file may be cut.',
  },
  {
    text: `${header}A1,"Bella "Boo" B",Dog,Ready\n`,
    sentence: 'line 2: the cell "Name" has a quotation mark inside of quotation marks. It must be doubled.',
  },
  {
    text: `${header}A1,"Bella",Dog,Ready\nA2,Max`,
    sentence: 'line 3, which begins with "A2", has 2 cells, and the header has 4.',
  },
  {
    text: `M,${header}"a\nb",A1,Max, the dog,Dog,Ready`,
    sentence: 'line 2, which begins with "a\\u{a}b", has 6 cells, and the header has 5.',
  },
  {
    text: `sep=,\nM,${header}"a\nb",A1,Max,Dog,Ready\nc`,
    sentence: 'line 5, which begins with "c", has 1 cells, and the header has 5.',
  },
  { text: `${header},Bella,Dog,Ready\n`, sentence: 'line 2 has no number: its "No" is empty.' },
  { text: `${header}${'7'.repeat(256)},Max,Dog,Ready\n`, sentence: 'line 2: its "No" has more than 255 characters.' },
])('a file is refused in one sentence: $sentence', ({ text, sentence }) => {
  const message = expect.stringContaining(`oak-lane: ${sentence}`)

  expect(() => parse(text)).toThrow(expect.objectContaining({ exitCode: 4, message }))
})

it.each([
  { place: 'a name', text: `${header}A1,"Max,Dog,Ready\nA2,Milo,Dog,Ready\nA3,Boo",Dog,Ready\n` },
  { place: 'a name, with an unknown word', text: `${header}A1,"Max,Dog,Free\nA2,Milo",Dog,Ready\n` },
  { place: 'another text', text: 'No,Name,Memo,Kind,State\nA1,Max,"shy,Dog,Ready\nA2,Milo,bold",Dog,Ready\n' },
])('a file is refused if a quotation mark in $place is closed in a later row', ({ text }) => {
  expect(() => parse(text)).toThrow('oak-lane: line 2: a quotation mark joins this row with later ones.')
})

it.each([
  { fault: 'its bytes are not UTF-8', bytes: Buffer.from(`${header}A1,Zoë,Dog,Ready\n`, 'latin1') },
  { fault: 'it is UTF-16 without a mark', bytes: Buffer.from(`${header}A1,Bella,Dog,Ready\n`, 'utf16le') },
  { fault: 'it ends inside of a character', bytes: Buffer.from(`\ufeff${header}`, 'utf16le').subarray(0, -1) },
])('a file is refused if $fault', ({ bytes }) => {
  expect(() => parse(bytes)).toThrow(/^oak-lane: the file is not UTF-8, .* "encoding: windows-1252"/)
})

const folder = createTemporaryFolder()
const file = join(folder, 'animals.csv')
const settings = join(folder, 'oak-lane.yaml')
writeFileSync(settings, settingsText)

it.each([
  { path: '/nowhere/animals.csv', sentence: '/nowhere/animals.csv does not exist. Check the path, and whether the' },
  { path: folder, sentence: `${folder} is a folder.` },
])('a file is refused if it cannot be read: $sentence', async ({ path, sentence }) => {
  const message = expect.stringContaining(`oak-lane: ${sentence}`)

  await expect(readNight({ file: path, settings })).rejects.toMatchObject({ exitCode: 4, message })
})

it('file and settings have names, and hashes that change with each byte', async () => {
  writeFileSync(file, formatFile({ N1: 'Bella' }))
  const first = await readNight({ file, settings })
  writeFileSync(file, formatFile({ N1: 'Belle' }))
  const second = await readNight({ file, settings })

  expect(first).toMatchObject({ fileName: 'animals.csv', source: 'oak-lane' })
  expect(second.fileHash).not.toBe(first.fileHash)
  expect(second.settingsHash).toBe(first.settingsHash)
})
