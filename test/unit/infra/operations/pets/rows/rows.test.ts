import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../../../infra/command-line/user-error.ts'
import type { PetRow } from '../../../../../../infra/operations/pets/rows/check-row.ts'
import { type Format, writeRows } from '../../../../../../infra/operations/pets/rows/format.ts'
import { type ExportedRow, readRows } from '../../../../../../infra/operations/pets/rows/read-rows.ts'
import { stringifyExactJson } from '../../../../../../shared/exact-json.ts'
import type { Pet } from '../../../../../../shared/pets/pet.ts'

interface ReadOptions {
  /** Whether rows with an id may lack a version. @default true */
  readonly overwrite?: boolean
}

/** Reads the rows of a file that comes in small chunks, which end within lines and characters. */
const readFile = async (content: string | Buffer, { overwrite = true }: ReadOptions = {}) => {
  const bytes = Buffer.from(content)
  async function* listChunks() {
    const size = Math.max(7, Math.ceil(bytes.length / 100))
    for (let begin = 0; begin < bytes.length; begin += size) yield bytes.subarray(begin, begin + size)
  }
  const rows: PetRow[] = []
  const addRow = (row: PetRow | ExportedRow): undefined => {
    if (!('json' in row)) rows.push(row)
  }
  await readRows(listChunks(), { overwrite, addRow })
  return rows
}

/** Reads the values of the rows of a file of new pets. */
const readValues = async (content: string) =>
  (await readFile(content)).map((row) => (row.id === undefined ? row.values : row.pet))

/** Reads a file that has mistakes. @returns the lines of the message */
const readMistakes = async (content: string | Buffer, options?: ReadOptions): Promise<readonly string[]> => {
  try {
    await readFile(content, options)
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n')
    throw error
  }
  throw new Error('The file has no mistake.')
}

const writePetNamed = (name: string, format: Format): Promise<string> => {
  const pet = { id: 1234567890123451n, name, categoryId: 1n, status: 'sold' } as const
  // The version of a row encodes the pet as it was exported.
  return text(writeRows([{ pet, version: pet }], format))
}

const encodeVersion = (pet: Pet): string => Buffer.from(stringifyExactJson(pet)).toString('base64url')

/** The version of the pet 1234567890123451, as an export writes it. */
const version = (await writePetNamed('A', 'csv')).trim().split(',').at(-1) ?? ''

const smallestInt64 = -9223372036854775808n

describe('a file of pets', () => {
  it.each([
    {
      kind: 'CSV with commas',
      content: 'name,categoryId,status\nBella,1,available\n"Max, the ""big""\none",-9223372036854775808,sold\n',
    },
    {
      kind: 'CSV with semicolons and line ends of Windows',
      content: 'name;categoryId;status\r\nBella;1;\r\n"Max, the ""big""\none";-9223372036854775808;sold',
    },
    {
      kind: 'CSV with tabs, a byte order mark and an empty row',
      content:
        '\ufeffname\tcategoryId\tstatus\nBella\t1\t\n"Max, the ""big""\none"\t-9223372036854775808\tsold\n\t\t\n',
    },
    {
      kind: 'CSV with another order of columns and empty lines',
      content: '"status","categoryId","name"\n\n,1,Bella\nsold,-9223372036854775808,"Max, the ""big""\none"\n\n',
    },
    {
      kind: 'CSV with line ends of several systems',
      content: 'name,status,categoryId\r\nBella,,1\r"Max, the ""big""\none",sold,-9223372036854775808\n',
    },
    {
      kind: 'CSV with a line that names the delimiter',
      content: 'sep=;\nname;categoryId;status\nBella;1;\n"Max, the ""big""\none";-9223372036854775808;sold\n',
    },
    {
      kind: 'CSV with empty columns at the end',
      content: 'name,categoryId,status,,\nBella,1,,,\n"Max, the ""big""\none",-9223372036854775808,sold,,\n',
    },
    {
      kind: 'JSON Lines',
      content:
        '\ufeff{"name":"Bella","categoryId":1.0}\n\n' +
        '{"name":"Max, the \\"big\\"\\none","status":"sold","categoryId":-9223372036854775808}\r\n',
    },
  ])('a file of pets is read as $kind', async ({ content }) => {
    expect(await readValues(content)).toEqual([
      { name: 'Bella', categoryId: 1n, status: 'available' },
      { name: 'Max, the "big"\none', categoryId: smallestInt64, status: 'sold' },
    ])
  })

  it.each([
    {
      content: Buffer.from('name,categoryId\nMax,1\nZoë,1\n', 'latin1'),
      kind: 'text in Latin 1',
      message: 'Line 3 is not UTF-8. Save it as UTF-8',
    },
    {
      content: Buffer.from('\ufeffname,categoryId\n', 'utf16le'),
      kind: 'text in UTF-16',
      message: 'Line 1 is not UTF-8.',
    },
    {
      content: Buffer.from('name,categoryId\nZoë').subarray(0, -1),
      kind: 'text that ends within a character',
      message: 'Line 2 is not UTF-8.',
    },
    {
      content: 'name,categoryId,name\n',
      kind: 'a column that is repeated',
      message: 'Line 1 must name the columns',
    },
    {
      content: 'nmae,categoryId\n',
      kind: 'an unknown column',
      message: 'Line 1 must name the columns',
    },
    {
      content: 'name\nA',
      kind: 'a missing column',
      message: 'Line 2: categoryId is missing',
    },
    {
      content: [
        'id,name,categoryId,status\r\n',
        '5,"A\r\n',
        'B",1,sold\n',
        '\r',
        '6,"A\n',
        'B\r',
        '",1,sold\r\n',
        '7,A,x,sold',
      ].join(''),
      kind: 'all kinds of line ends before a mistake',
      message: 'Line 8: categoryId must be an integer',
    },
    {
      content: 'id,name,categoryId,status\n5,A,B,1,sold',
      kind: 'a row with a value too many',
      message: 'Line 2: it has 5 values, but the header has 4 columns',
    },
    {
      content: 'id,name,categoryId,status\n5,A,1,sold\n6,"A"B,1,sold\n7,A,1,',
      kind: 'a quotation mark that is not doubled',
      message: 'Line 3: a quotation mark',
    },
    {
      content: 'id,name,categoryId,status\n"5,A,1,sold\n6,A,1,',
      kind: 'a quotation mark that is not closed',
      message: 'Line 2: a quotation mark',
    },
    {
      content: 'name,categoryId,\nA,1,B\n',
      kind: 'a value in an empty column',
      message: 'Line 2: it has 3 values, but the header has 2 columns',
    },
    {
      content: 'sep=;\nnmae;categoryId\n',
      kind: 'an unknown column after a line that names the delimiter',
      message: 'Line 2 must name the columns',
    },
    {
      content: `{"name":"A","categoryId":1}\n${'x'.repeat(1_000_100)}`,
      kind: 'a line that is too long',
      message: 'Line 2 is too long for a row.',
    },
    {
      content: '{"name":"A","categoryId":1}\n{"name"',
      kind: 'a line that is not JSON',
      message: 'Line 2: it is not JSON',
    },
    {
      content: '[{"name":"A","categoryId":1}]',
      kind: 'a JSON array',
      message: 'Line 1: it is no JSON object',
    },
    {
      content: '{"name":"A","name":"B","categoryId":1}',
      kind: 'a JSON object with a repeated field',
      message: 'Line 1: it has a field twice. Write each field once.',
    },
    {
      content: '{"name":"A","category\\u0049d":1}',
      kind: 'a JSON object with an escape in the name of a field',
      message: 'Line 1: it has a field with a backslash in its name. Write names without escapes.',
    },
  ])('a file of pets with $kind is rejected with the line of the mistake', async ({ content, message }) => {
    expect(await readMistakes(content)).toContainEqual(expect.stringContaining(message))
  })

  it('a file of pets with only white space is rejected as empty', async () => {
    expect(await readMistakes('\ufeff\n \n')).toEqual(['The file is empty.'])
  })

  it.each([
    {
      row: '3,A,1,Sold',
      mistake: 'status must be one of available, pending, sold, not "Sold"',
    },
    {
      row: ',,1,sold',
      mistake: 'name is missing; it must be a string of 1 to 255 characters',
    },
    {
      row: `,${'A'.repeat(300)},1,sold`,
      mistake: 'name must be a string of 1 to 255 characters, not only spaces, not "AAA',
    },
    {
      row: ',A,9223372036854775808,sold',
      mistake: 'categoryId must be an integer from -9223372036854775808 to',
    },
    {
      row: '5,A,1,',
      mistake: 'status is missing in a row with an id',
    },
    {
      row: '9007199254740992,A,1,sold',
      mistake: 'id must be a whole number from 1 to 9007199254740991, not ',
    },
  ])('a file of pets with the row $row is rejected with the column of the mistake', async ({ row, mistake }) => {
    const lines = await readMistakes(`id,name,categoryId,status\n3,A,1,sold\n${row}`)

    expect(lines).toEqual(['Nothing is written.', expect.stringContaining(`Line 3: ${mistake}`)])
  })

  it('a file of pets with several mistakes in a row is rejected with each of them', async () => {
    const lines = await readMistakes('id,name,categoryId,status\n3,A,1,sold\n1e3,,x,sold')

    expect(lines).toEqual([
      'Nothing is written.',
      expect.stringContaining('Line 3: name is missing'),
      expect.stringContaining('Line 3: categoryId must be an integer'),
      expect.stringContaining('Line 3: id must be a whole number from 1 to 9007199254740991, not '),
    ])
  })

  it.each([
    {
      problem: 'its id is not that of its version',
      row: `1234567890123450,A,1,sold,${version}`,
      mistake: 'id is not that of the version. If a spreadsheet has rounded it',
    },
    {
      problem: 'it has a version and no id',
      row: `,A,1,sold,${version}`,
      mistake: 'id is not that of the version',
    },
    {
      problem: 'no export has written its version',
      row: '5,A,1,sold,v1',
      mistake: 'version must be as it was exported, not "v1"',
    },
    {
      problem: 'its version was cut off',
      row: `5,A,1,sold,${version.slice(0, -1)}`,
      mistake: 'version must be as it was exported, not "',
    },
  ])('a row is rejected if $problem', async ({ row, mistake }) => {
    const lines = await readMistakes(`id,name,categoryId,status,version\n3,A,1,sold,\n${row}`)

    expect(lines).toEqual(['Nothing is written.', expect.stringContaining(`Line 3: ${mistake}`)])
  })

  it.each([
    {
      json: '{"id":5,"name":"A","categoryId":1}',
      mistake: 'status is missing in a row with an id',
    },
    {
      json: '{"name":"A","categoryId":1,"tail":3}',
      mistake: 'tail is no field of a pet',
    },
  ])('a file of pets with the JSON line $json is rejected with the field of the mistake', async ({ json, mistake }) => {
    const lines = await readMistakes(`{"name":"A","categoryId":1}\n\n${json}`)

    expect(lines).toEqual(['Nothing is written.', expect.stringContaining(`Line 3: ${mistake}`)])
  })

  /** Reads a row of CSV whose pet was exported as another one. */
  const readEditedRow = (exported: Pet, columns: string, row: string) =>
    readFile(`id,${columns},version\n${exported.id},${row},${encodeVersion(exported)}\n`)

  const numbered: Pet = { id: 5n, name: '007', categoryId: 1234567890123456n, status: 'sold' }

  it.each([
    { row: '7,1234567890123456', mistake: 'name is 7, and was 007 before a program took it for a number' },
    { row: '007,1234567890123450', mistake: 'categoryId is 1234567890123450, and was 1234567890123456' },
    { row: '007,1.23457E+15', mistake: 'categoryId must be an integer' },
    { row: '007,3E2', mistake: 'categoryId must be an integer' },
    { row: '007,007', mistake: 'categoryId must be an integer' },
  ])('a row that a spreadsheet has damaged, $row, is rejected', async ({ row, mistake }) => {
    const reading = readEditedRow(numbered, 'name,categoryId', row)

    await expect(reading).rejects.toThrow(`Line 2: ${mistake}`)
  })

  it('a name that a spreadsheet has written as another text of the same number is rejected', async () => {
    const reading = readEditedRow({ ...numbered, name: '3E2' }, 'name', '300')

    await expect(reading).rejects.toThrow('Line 2: name is 300, and was 3E2')
  })

  it('a row with another number is an edit', async () => {
    const [row] = await readEditedRow(numbered, 'name,categoryId', '008,1234567890123457')

    expect(row).toMatchObject({ pet: { name: '008', categoryId: 1234567890123457n } })
  })

  it('a column that is missing erases nothing', async () => {
    const [row] = await readEditedRow(numbered, 'name', '008')

    expect(row).toMatchObject({ version: numbered, pet: { ...numbered, name: '008' } })
  })

  it('a file of pets with several mistakes in a JSON line is rejected with each of them', async () => {
    const lines = await readMistakes('{"name":"A","categoryId":1}\n\n{"id":1.5,"name":null,"status":"sold"}')

    expect(lines).toEqual([
      'Nothing is written.',
      expect.stringContaining('Line 3: name must be a string'),
      expect.stringContaining('Line 3: categoryId is missing'),
      expect.stringContaining('Line 3: id must be a whole number from 1 to 9007199254740991, not '),
    ])
  })

  it('a file of pets with more than 100 mistakes is rejected with the first 100', async () => {
    const lines = await readMistakes(`name,categoryId,status\n${'A,x,sold\n'.repeat(150)}`)

    expect(lines).toHaveLength(102)
    expect(lines[1]).toMatch(/^Line 2: categoryId must be an integer/)
    expect(lines[100]).toMatch(/^Line 101: categoryId must be an integer/)
    expect(lines[101]).toBe('There are more.')
  })

  it('a file of pets without versions is rejected with one mistake, though all rows lack versions', async () => {
    const lines = await readMistakes('id,name,categoryId,status\n5,A,1,sold\n6,A,1,sold\n', { overwrite: false })

    expect(lines).toEqual([
      'Nothing is written.',
      expect.stringMatching(/^Line 2: version is missing, so .* --overwrite\.$/),
    ])
  })

  it('a file of pets is rejected with its mistakes in the order of their lines, a missing version among them', async () => {
    const content = `id,name,categoryId,status\n5,A,1,sold\n6,A,1,sold\n${',A,x,sold\n'.repeat(150)}`

    const lines = await readMistakes(content, { overwrite: false })

    expect(lines).toHaveLength(102)
    expect(lines[1]).toMatch(/^Line 2: version is missing, so .* --overwrite\.$/)
    expect(lines[2]).toMatch(/^Line 4: categoryId must be an integer/)
    expect(lines[101]).toBe('There are more.')
  })

  it.each(['=1+1', '+1', '-1', '@SUM', '\t=1', '＝1', "'=1", '007', '3E2', '1/2', '.5'])(
    'a CSV file has an apostrophe before the name %j, so that no spreadsheet runs or changes it',
    async (name) => {
      const [, row] = (await writePetNamed(name, 'csv')).split('\n')

      expect(row).toMatch(/^\d+,"?'/)
    },
  )

  it('a JSON Lines file escapes the line separators of Unicode', async () => {
    expect(await writePetNamed('\u2028\u2029\n', 'jsonl')).toMatch(/^\{.*"\\u2028\\u2029\\n".*\}\n$/)
  })
})
