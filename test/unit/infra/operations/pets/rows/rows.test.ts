import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../../../infra/command-line/user-error.ts'
import { type Format, writeRows } from '../../../../../../infra/operations/pets/rows/format.ts'
import { readRows } from '../../../../../../infra/operations/pets/rows/read-rows.ts'

/** The rows of a file as pets; or the lines that say why it cannot be read. */
const read = (content: string | Buffer, overwrites = true) => {
  try {
    return readRows(Buffer.from(content), overwrites).map(({ id, values }) => ({ ...(id && { id }), ...values }))
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n')
    throw error
  }
}

const written = (name: string, format: Format) => {
  const pet = { id: 1234567890123451n, name, categoryId: 1n, status: 'sold' } as const
  return text(writeRows([{ pet, version: pet }], format))
}

const least = -(2n ** 63n)
const pets = [
  { name: 'Bella', categoryId: 1n, status: 'available' },
  { name: 'Max, the "big"\none', categoryId: least, status: 'sold' },
]
const max = '"Max, the ""big""\none"'
const header = 'id,name,categoryId,status'
const version = (await written('A', 'csv')).trim().split(',').at(-1) ?? ''

describe('a file of pets', () => {
  it.each([
    ['commas', `name,categoryId,status\nBella,1,available\n${max},${least},sold\n`],
    ['semicolons, by Windows', `name;categoryId;status\r\nBella;1;\r\n${max};${least};sold`],
    ['tabs and a byte order mark', `\ufeffname\tcategoryId\tstatus\nBella\t1\t\n${max}\t${least}\tsold\n\t\t\n`],
    ['another order, and empty lines', `"status","categoryId","name"\n\n,1,Bella\nsold,${least},${max}\n\n`],
    ['lines of several systems', `name,status,categoryId\r\nBella,,1\r${max},sold,${least}\n`],
    [
      'JSON Lines',
      `\ufeff{"name":"Bella","categoryId":1.0}\n\n{"name":"Max, the \\"big\\"\\none","status":"sold","categoryId":${least}}\r\n`,
    ],
  ])('is read with %s', (_what, content) => {
    expect(read(content)).toEqual(pets)
  })

  it.each<[string, string | Buffer, string]>([
    ['of white space', '\ufeff\n \n', 'The file is empty.'],
    ['of Latin 1', Buffer.from('name,categoryId\nMax,1\nZoë,1\n', 'latin1'), 'Line 3 is not UTF-8. Save it as UTF-8'],
    ['of UTF-16', Buffer.from('\ufeffname,categoryId\n', 'utf16le'), 'Line 1 is not UTF-8.'],
    ['that ends within a character', Buffer.from('name,categoryId\nZoë').subarray(0, -1), 'Line 2 is not UTF-8.'],
    ['with a doubled column', 'name,categoryId,name\n', 'Line 1 must name the columns'],
    ['with an unknown column', 'nmae,categoryId\n', 'Line 1 must name the columns'],
    ['with a missing column', 'name\nA', 'Line 2: categoryId is missing'],
    ['with all kinds of line ends', `${header}\r\n5,"A\r\nB",1,sold\n\r6,"A\nB\r",1,sold\r\n7,A,x,sold`, 'Line 8: cat'],
    ['with a value too many', `${header}\n5,A,B,1,sold`, 'Line 2: it has 5 values, but the header has 4 columns'],
    ['with a wrong quotation mark', `${header}\n5,A,1,sold\n6,"A"B,1,sold\n7,A,1,`, 'Line 3: a quotation mark'],
    ['with an open quotation mark', `${header}\n"5,A,1,sold\n6,A,1,`, 'Line 2: a quotation mark'],
    ['that is no JSON', '{"name":"A","categoryId":1}\n{"name"', 'Line 2: it is not JSON'],
    ['of a JSON array', '[{"name":"A","categoryId":1}]', 'Line 1: it is no JSON object'],
    ['with a field twice', '{"name":"A","name":"B","categoryId":1}', 'Line 1: it is not JSON, or has a field twice'],
  ])('%s is refused, and says where', (_what, content, message) => {
    expect(read(content)).toContainEqual(expect.stringContaining(message))
  })

  const rule = 'id must be a whole number from 1 to 9007199254740991, not '

  it.each<[string, ...string[]]>([
    ['3,A,1,Sold', 'status must be one of available, pending, sold, not "Sold"'],
    [',,1,sold', 'name is missing; it must be a string of 1 to 255 characters'],
    [`,${'A'.repeat(300)},1,sold`, 'name must be a string of 1 to 255 characters, not only spaces, not "AAA'],
    [',A,9223372036854775808,sold', 'categoryId must be an integer from -9223372036854775808 to'],
    ['1e3,,x,sold', 'name is missing', 'categoryId must be an integer', rule],
    ['5,A,1,', 'status is missing in a row with an id'],
    ['9007199254740992,A,1,sold', rule],
    [`1234567890123450,A,1,sold,${version}`, 'id is not that of the version. If a spreadsheet has rounded it'],
    ['3,A,1,sold', 'the id 3 is in line 2 too'],
    ['5,A,1,sold,v1', 'version must be as it was exported, not "v1"'],
    [`5,A,1,sold,${version.slice(0, -1)}`, 'version must be as it was exported, not "'],
    [`,A,1,sold,${version}`, 'id is not that of the version'],
    ['{"id":5,"name":"A","categoryId":1}', 'status is missing in a row with an id'],
    ['{"name":"A","categoryId":1,"tail":3}', 'tail is no field of a pet'],
    ['{"id":1.5,"name":null,"status":"sold"}', 'name must be a string', 'categoryId is missing', rule],
  ])('with the row %s says what is wrong in which column', (row, ...expected) => {
    const isVersioned = row.split(',').length === 5
    const csv = `${header}${isVersioned ? ',version' : ''}\n3,A,1,sold${isVersioned ? ',' : ''}\n${row}`
    const mistakes = expected.map((mistake) => expect.stringContaining(`Line 3: ${mistake}`))
    const content = row.startsWith('{') ? `{"name":"A","categoryId":1}\n\n${row}` : csv
    expect(read(content)).toEqual(['Nothing is written.', ...mistakes])
  })

  it('shows 100 mistakes, and says once that versions are missing', () => {
    const lines = read(`${header}\n5,A,1,sold\n6,A,1,sold\n${',A,x,sold\n'.repeat(150)}`, false)
    const missing = expect.stringMatching(/^Line 2: version is missing, so .* --overwrite\.$/)
    expect([lines.length, lines[1], lines.at(-1)]).toEqual([102, missing, 'There are more.'])
  })

  it.each(['=1+1', '+1', '-1', '@SUM', '\t=1', '＝1', "'=1"])('shows a spreadsheet no formula %j', async (name) => {
    expect((await written(name, 'csv')).split('\n')[1]).toMatch(/^\d+,"?'/)
  })

  it('shows other programs no line end within a line of JSON', async () => {
    expect(await written('\u2028\u2029\n', 'jsonl')).toMatch(/^\{.*"\\u2028\\u2029\\n".*\}\n$/)
  })
})
