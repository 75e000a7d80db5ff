import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseShelterFile, readNight } from '../../../../../infra/commands/sync/read-night.ts'
import { readSettings } from '../../../../../infra/commands/sync/settings.ts'
import { type FeedNight, feedSources, findFeed, findFeedSettings, readTruth } from '../../../../fixtures/feeds/feeds.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

const settings = {
  source: 'oak-lane',
  columns: { number: 'No', name: 'Name', category: 'Kind', status: 'State' },
  categories: new Map([
    ['Dog', 11n],
    ['Guinea Pig', 13n],
  ]),
  statuses: new Map([
    ['Ready', 'available'],
    ['On hold', 'hidden'],
  ] as const),
  encoding: undefined,
}

const header = 'No,Name,Kind,State\n'

const bella = { number: 'A1', name: 'Bella', categoryId: 11n, status: 'available' }
const max = { number: 'A2', name: 'Max', categoryId: 13n, status: 'hidden' }

const parse = (content: string | Buffer, encoding?: string) =>
  parseShelterFile(Buffer.from(content), { ...settings, encoding })

/** Reads the animals of a file, without their lines. */
const readAnimals = (content: string | Buffer, encoding?: string) =>
  [...parse(content, encoding).animals.values()].map(({ line, ...animal }) => animal)

describe.each(feedSources)('the file of %s', (source) => {
  it.each(['night1', 'night2', 'night5'] satisfies readonly FeedNight[])(
    'has in %s each animal as it is at the shelter',
    async (night) => {
      const { categories, statuses } = readSettings(findFeedSettings(source))

      const { animals, unknown, findings } = await readNight({
        file: findFeed(night, source),
        settings: findFeedSettings(source),
      })

      const expected = readTruth(night, source).map(({ number, name, species, status }) => ({
        number,
        name: name || number,
        categoryId: categories.get(species),
        status: statuses.get(status),
      }))
      expect([...animals.values()].map(({ line, ...animal }) => animal)).toEqual(expected)
      expect({ unknown, findings }).toEqual({ unknown: [], findings: [] })
    },
  )
})

describe('animals are read from', () => {
  it.each([
    { kind: 'commas', text: `${header}A1,Bella,Dog,Ready\nA2,Max,Guinea Pig,On hold\n` },
    {
      kind: 'semicolons and quotation marks',
      text: '"No";"Name";"Kind";"State"\r\n"A1";"Bella";"Dog";"Ready"\r\nA2;Max;Guinea Pig;On hold\r\n',
    },
    {
      kind: 'tabs, with another column whose name and values are empty',
      text: 'No\t\tName\tKind\tState\nA1\t\tBella\tDog\tReady\nA2\t\tMax\tGuinea Pig\tOn hold',
    },
    {
      kind: 'tabs and cells that a spreadsheet has put into quotation marks',
      text: 'No\tName\tKind\tState\n"A1"\t"Bella"\tDog\tReady\nA2\tMax\t"Guinea Pig"\tOn hold\n',
    },
    {
      kind: 'cells with white space around them',
      text: 'No , Name,Kind,State\n A1,Bella , "Dog" ,Ready\t\nA2,Max,Guinea Pig, On hold\n',
    },
    {
      kind: 'a repeated header',
      text: `${header}A1,Bella,Dog,Ready\n${header}A2,Max,Guinea Pig,On hold\n`,
    },
    { kind: 'empty rows', text: `\n${header}A1,Bella,Dog,Ready\n\nA2,Max,Guinea Pig,On hold\n,,,\n,,,,,\n` },
    {
      kind: 'a delimiter at the end of each row but not of the header',
      text: `${header}A1,Bella,Dog,Ready,\nA2,Max,Guinea Pig,On hold,,\n`,
    },
    {
      kind: 'a delimiter at the end of the header alone',
      text: 'No,Name,Kind,State,\nA1,Bella,Dog,Ready\nA2,Max,Guinea Pig,On hold\n',
    },
    {
      kind: 'a first line that names the delimiter',
      text: 'sep=;\r\nNo;Name;Kind;State\r\nA1;Bella;Dog;Ready\r\nA2;Max;Guinea Pig;On hold\r\n',
    },
    {
      kind: 'other columns with line ends, delimiters and quotation marks',
      text: 'Memo,State,No,Name,Kind\n"a, ""b""; c\r\n\nd",Ready,A1,Bella,Dog\r\n5" tall,On hold,A2,Max,Guinea Pig\r\n',
    },
    {
      kind: 'the formulas by which programs keep a spreadsheet from changing texts',
      text: `${header}="A1",="Bella",Dog,Ready\n="A2","=""Max""",Guinea Pig,On hold\n`,
    },
    {
      kind: 'the same number with an invisible character, and words with a no-break space',
      text: 'No\u200b,Name,Kind,State\nA1\u200b,Bella,Dog,Ready\nA2,Max,Guinea\u00a0Pig,On\u00a0hold\n',
    },
    {
      kind: 'two rows that look alike',
      text: `${header}A1,Bella,Dog,Ready\nA2,Max,Guinea Pig,On hold\nA\u00ad2,Max,Guinea Pig,On hold\n`,
    },
  ])('$kind', ({ text }) => {
    expect(readAnimals(text)).toEqual([bella, max])
  })

  it.each([
    { kind: 'UTF-8 with a byte order mark', bytes: Buffer.from(`\ufeff${header}A1,Zoë,Dog,Ready\n`) },
    { kind: 'UTF-16', bytes: Buffer.from('\ufeffNo\tName\tKind\tState\r\nA1\tZoë\tDog\tReady\r\n', 'utf16le') },
    {
      kind: 'UTF-16 with the other byte order',
      bytes: Buffer.from('\ufeffNo\tName\tKind\tState\r\nA1\tZoë\tDog\tReady\r\n', 'utf16le').swap16(),
    },
    {
      kind: 'a named encoding',
      bytes: Buffer.from(`${header}A1,Zo\xeb,Dog,Ready\n`, 'latin1'),
      encoding: 'windows-1252',
    },
    {
      kind: 'UTF-8 in which an accent is a character of its own',
      bytes: Buffer.from(`${header}A1,Zoe\u0308,Dog,Ready\n`),
    },
  ])('$kind', ({ bytes, encoding }) => {
    expect(readAnimals(bytes, encoding)).toEqual([{ ...bella, name: 'Zoë' }])
  })

  it('TSV with quotation marks inside of a cell, which belong to the text', () => {
    const text = 'No\tName\tKind\tState\nA1\t"Bella" (blind)\tDog\tReady\nA2\t"Bella "Boo" B"\tDog\tReady\n'

    expect(readAnimals(text)).toMatchObject([{ name: '"Bella" (blind)' }, { name: '"Bella "Boo" B"' }])
  })

  it('TSV with a quotation mark that is closed in the next row: two animals', () => {
    const text = 'No\tName\tKind\tState\nA1\t"Bella\tDog\tReady\nA2\tMax"\tDog\tReady\n'

    expect(readAnimals(text)).toMatchObject([{ name: '"Bella' }, { name: 'Max"' }])
  })

  it('bytes that are UTF-8 although the settings name another encoding, with a finding', () => {
    const bytes = Buffer.from(`${header}A1,Zoë,Dog,Ready\n`)

    expect(readAnimals(bytes, 'windows-1252')).toMatchObject([{ name: 'Zoë' }])
    expect(parse(bytes, 'windows-1252').findings).toEqual([
      'The file is UTF-8, and is read so. Take "encoding: windows-1252" out of the settings.',
    ])
  })
})

it('an animal without a name has its number for one, and a note says so', () => {
  const { animals, findings, notes } = parse(`${header}A1,,Dog,Ready\nA2,\u200b,Dog,Ready\n`)

  expect([...animals.values()].map(({ name }) => name)).toEqual(['A1', 'A2'])
  expect({ findings, notes }).toEqual({
    findings: [],
    notes: ['without a name, so shown by number: 2 animals (A1, A2).'],
  })
})

it('rows with words that the settings lack are findings: one line for each word, with a count and three numbers', () => {
  const renamed = [1, 2, 3, 4].map((number) => `B${number},Milo,Dog,Available now\n`).join('')

  const { animals, unknown, findings } = parse(`${header}A1,Bella,Dog,Ready\n${renamed}C1,Milo,Horse,Ready\n`)

  expect([...animals.keys()]).toEqual(['A1'])
  expect(unknown.slice(0, 1)).toEqual([
    { number: 'B1', line: 3, reason: 'the settings lack the status "Available now"' },
  ])
  expect(findings).toEqual([
    'the settings lack the status "Available now": 4 animals (B1, B2, B3 and others).',
    'the settings lack the category "Horse": 1 animal (C1).',
  ])
})

it('two rows with the same number that differ are a finding, and a third one does not decide', () => {
  const { animals, findings } = parse(`${header}A1,Bella,Dog,Ready\nA1,Milo,Dog,Ready\nA1,Bella,Dog,Ready\n`)

  expect(animals.size).toBe(0)
  expect(findings).toEqual(['rows with the same number differ: 1 animal (A1).'])
})

it('a name that the contract does not allow is a finding', () => {
  expect(parse(`${header}A1,${'x'.repeat(256)},Dog,Ready\n`).findings).toEqual([
    'the name must be a string of 1 to 255 characters, not only spaces: 1 animal (A1).',
  ])
})

it('a header alone is a file without animals', () => {
  expect(parse(header).animals.size).toBe(0)
})

describe('a file is refused in one sentence if', () => {
  it.each([
    { fault: 'it is empty', text: ' \n', sentence: 'the file is empty.' },
    {
      fault: 'a column is missing',
      text: 'No,Name,Kind\nA1,Bella,Dog\n',
      sentence: 'the header lacks "State". It has "No", "Name", "Kind".',
    },
    {
      fault: 'a column is there twice',
      text: 'No,Name,Kind,State,No\nA1,a,b,c,d\n',
      sentence: 'the header has "No" twice.',
    },
    {
      fault: 'it ends inside of quotation marks',
      text: `${header}A1,Bella,Dog,"Rea`,
      sentence: 'line 2: the cell "State" begins with a quotation mark that is never closed. The file may be cut.',
    },
    {
      fault: 'it ends inside of a row',
      text: `${header}A1,"Bella",Dog,Ready\nA2,Max`,
      sentence:
        'line 3, which begins with "A2", has 2 cells, and the header has 4. If it is the last line, the file is cut; ' +
        'else put the cell that has a delimiter into quotation marks.',
    },
    {
      fault: 'a row is too long, behind a row of several lines',
      text: `Memo,${header}"a\nb",A1,Bella,Dog,Ready\nc,A2,Max, the dog,Dog,Ready\n`,
      sentence: 'line 4, which begins with "c", has 6 cells, and the header has 5.',
    },
    {
      fault: 'quotation marks stand inside of quotation marks',
      text: `${header}A1,"Bella "Boo" B",Dog,Ready\n`,
      sentence: 'line 2: the cell "Name" has a quotation mark inside of quotation marks. It must be doubled.',
    },
    {
      fault: 'a name begins with a quotation mark that is closed three rows later',
      text: `${header}A1,"Bella,Dog,Ready\nA2,Milo,Dog,Ready\nA3,Boo,Dog,Ready\nA4,Max",Dog,Ready\n`,
      sentence: 'line 2: a quotation mark joins this row with later ones.',
    },
    {
      fault: 'a text that nobody reads begins with a quotation mark that is closed in the next row',
      text: 'No,Name,Memo,Kind,State\nA1,Bella,"shy,Dog,Ready\nA2,Milo,bold",Dog,Ready\n',
      sentence: 'line 2: a quotation mark joins this row with later ones.',
    },
    {
      fault: 'a number is empty',
      text: `${header},Bella,Dog,Ready\n`,
      sentence: 'line 2 has no number: its "No" is empty.',
    },
    {
      fault: 'a number is too long',
      text: `${header}${'7'.repeat(256)},Bella,Dog,Ready\n`,
      sentence: 'line 2: its "No" has more than 255 characters.',
    },
  ])('$fault', ({ text, sentence }) => {
    const message = expect.stringContaining(`oak-lane: ${sentence}`)

    expect(() => parse(text)).toThrow(expect.objectContaining({ exitCode: 4, message }))
    expect(() => parse(text)).toThrow(/ Nothing is changed\.$/)
  })

  it.each([
    { fault: 'its bytes are not UTF-8', bytes: Buffer.from(`${header}A1,Zo\xeb,Dog,Ready\n`, 'latin1') },
    { fault: 'it is UTF-16 without a mark', bytes: Buffer.from(`${header}A1,Bella,Dog,Ready\n`, 'utf16le') },
    {
      fault: 'UTF-16 ends inside of a character',
      bytes: Buffer.from('\ufeffNo\tName\tKind\tState\nA1\tBella\tDog\tReady', 'utf16le').subarray(0, -1),
    },
  ])('$fault', ({ bytes }) => {
    expect(() => parse(bytes)).toThrow(/^oak-lane: the file is not UTF-8, .* "encoding: windows-1252"/)
  })

  it('it has more than 200,000 rows', () => {
    expect(() => parse(`${header}${'A1,Bella,Dog,Ready\n'.repeat(200_001)}`)).toThrow('more than 200,000 rows')
  })

  it.each([
    { fault: 'it does not exist', file: '/nowhere/animals.csv', sentence: '/nowhere/animals.csv does not exist.' },
    { fault: 'it is a folder', file: import.meta.dirname, sentence: `${import.meta.dirname} is a folder.` },
  ])('$fault', async ({ file, sentence }) => {
    const night = readNight({ file, settings: findFeedSettings('elm-street') })

    const message = expect.stringContaining(`elm-street: ${sentence}`)
    await expect(night).rejects.toMatchObject({ exitCode: 4, message })
  })
})

it('file and settings have hashes that change with each byte', async () => {
  const folder = createTemporaryFolder()
  const file = join(folder, 'animals.csv')
  const paths = { file, settings: findFeedSettings('riverside') }
  writeFileSync(file, 'ID,Name,Species,Status\n1,Zoë,Dog,Adopted\n')
  const first = await readNight(paths)
  writeFileSync(file, 'ID,Name,Species,Status\n1,Zoë,Dog,Adopted\n\n')
  const second = await readNight(paths)

  expect(first).toMatchObject({ fileName: 'animals.csv', settingsName: 'riverside.yaml' })
  expect(second.fileHash).not.toBe(first.fileHash)
  expect(second.settingsHash).toBe(first.settingsHash)
})
