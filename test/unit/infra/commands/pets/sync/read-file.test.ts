import { describe, expect, it } from 'vitest'
import { parseRows, readShelterFile } from '../../../../../../infra/commands/pets/sync/read-file.ts'

const columns = { reference: 'No', name: 'Name', category: 'Kind', status: 'State' }
const bella = { reference: '7', name: 'Bella', category: 'Dog', status: 'Ready' }
const max = { reference: '8', name: 'Max', category: 'Cat', status: 'Ready' }

const parse = (text: string, encoding?: string) =>
  parseRows(Buffer.from(text), { columns, ...(encoding === undefined ? {} : { encoding }) })

describe('rows are read from', () => {
  it.each([
    { kind: 'commas', text: 'No,Name,Kind,State\n7,Bella,Dog,Ready\n8,Max,Cat,Ready\n' },
    { kind: 'semicolons', text: '"No";"Name";"Kind";"State"\r\n"7";"Bella";"Dog";"Ready"\r\n8;Max;Cat;Ready\r\n' },
    {
      kind: 'tabs and a column without values',
      text: 'No\tX\tName\tKind\tState\n7\t\tBella\tDog\tReady\n8\t\tMax\tCat\tReady',
    },
    {
      kind: 'cells with white space around them',
      text: 'No , Name,Kind,State\n 7,Bella , "Dog",Ready\t\n8,Max,Cat, Ready\n',
    },
    { kind: 'a repeated header', text: 'No,Name,Kind,State\n7,Bella,Dog,Ready\nNo,Name,Kind,State\n8,Max,Cat,Ready\n' },
    { kind: 'empty rows', text: '\nNo,Name,Kind,State\n7,Bella,Dog,Ready\n\n8,Max,Cat,Ready\n,,,\n,,,,,\n' },
    {
      kind: 'other columns with line breaks, delimiters and quotation marks',
      text: 'Memo,State,No,Name,Kind\n"a, ""b""; c\r\n\nd",Ready,7,Bella,Dog\r\n5" tall,Ready,8,Max,Cat\r\n',
    },
  ])('$kind', ({ text }) => {
    expect(parse(text)).toEqual([bella, max])
  })

  it.each([
    { kind: 'UTF-8 with a byte order mark', bytes: Buffer.from('\ufeffNo,Name,Kind,State\n7,Zoë,Dog,Ready\n') },
    { kind: 'UTF-16', bytes: Buffer.from('\ufeffNo\tName\tKind\tState\r\n7\tZoë\tDog\tReady\r\n', 'utf16le') },
    {
      kind: 'UTF-16 with the other byte order',
      bytes: Buffer.from('\ufeffNo\tName\tKind\tState\r\n7\tZoë\tDog\tReady\r\n', 'utf16le').swap16(),
    },
    {
      kind: 'a named encoding',
      bytes: Buffer.from('No,Name,Kind,State\n7,Zo\xeb,Dog,Ready\n', 'latin1'),
      encoding: 'windows-1252',
    },
  ])('$kind', ({ bytes, encoding }) => {
    const rows = parseRows(bytes, { columns, ...(encoding === undefined ? {} : { encoding }) })

    expect(rows).toEqual([{ ...bella, name: 'Zoë' }])
  })
})

describe('a file is refused if', () => {
  it.each([
    { mistake: 'it is empty', text: ' \n', sentence: 'It is empty' },
    { mistake: 'it has a header only', text: 'No,Name,Kind,State\n', sentence: 'It has a header, but no animal' },
    {
      mistake: 'a mapped column is missing',
      text: 'No,Name,Kind\n7,Bella,Dog\n',
      sentence: 'Its header lacks "State"',
    },
    {
      mistake: 'a mapped column is there twice',
      text: 'No,Name,Kind,State,No\n7,a,b,c,d\n',
      sentence: 'has "No" twice',
    },
    {
      mistake: 'it ends inside quotation marks',
      text: 'No,Name,Kind,State\n7,Bella,Dog,"Rea',
      sentence: 'ends inside a row',
    },
    {
      mistake: 'it ends inside a row',
      text: 'No,Name,Kind,State\n7,Bella,Dog,Ready\n8,Max',
      sentence: 'Row 3, which begins with "8", has 2 cells in place of 4',
    },
    { mistake: 'a row is too long', text: 'No,Name,Kind,State\n7,Bella, the dog,Dog,Ready\n', sentence: 'has 5 cells' },
    {
      mistake: 'a reference is empty',
      text: 'No,Name,Kind,State\n,Bella,Dog,Ready\n',
      sentence: 'Row 2 has no reference: its "No" is empty.',
    },
    {
      mistake: 'a reference is too long',
      text: `No,Name,Kind,State\n${'7'.repeat(256)},Bella,Dog,Ready\n`,
      sentence: 'The "No" of row 2 has more than 255 characters',
    },
  ])('$mistake', ({ text, sentence }) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ exitCode: 4, message: expect.stringContaining(sentence) }),
    )
  })

  it.each([
    { mistake: 'its bytes are not UTF-8', bytes: Buffer.from('No,Name,Kind,State\n7,Zo\xeb,Dog,Ready\n', 'latin1') },
    {
      mistake: 'UTF-16 ends inside a character',
      bytes: Buffer.from('\ufeffNo\tName\tKind\tState\n7\tBella\tDog\tReady', 'utf16le').subarray(0, -1),
    },
  ])('$mistake', ({ bytes }) => {
    expect(() => parseRows(bytes, { columns })).toThrow(/encoding: windows-1252/)
  })

  it('it has more rows than may be', () => {
    const bytes = Buffer.from(`No,Name,Kind,State\n${'7,Bella,Dog,Ready\n'.repeat(1_001)}`)

    expect(() => parseRows(bytes, { columns }, 1_000)).toThrow('more than 1,000 rows')
    expect(parseRows(bytes, { columns }, 1_001)).toHaveLength(1_001)
  })

  it.each([
    {
      mistake: 'it does not exist',
      file: '/nowhere/animals.csv',
      sentence: /animals.csv does not exist. Check the path/,
    },
    { mistake: 'it is a folder', file: import.meta.dirname, sentence: /is a folder. Name a file in it/ },
  ])('$mistake', ({ file, sentence }) => {
    expect(() => readShelterFile(file, { columns })).toThrow(
      expect.objectContaining({ exitCode: 4, message: expect.stringMatching(sentence) }),
    )
  })
})
