import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../../../infra/command-line/user-error.ts'
import { type Format, textOf } from '../../../../../../infra/operations/pets/rows/format.ts'
import { readRows } from '../../../../../../infra/operations/pets/rows/read-rows.ts'

/** The rows of a file as pets; or the message that says why it cannot be read. */
const read = (content: string | Buffer, overwrites = true) => {
  try {
    return readRows(Buffer.from(content), overwrites).map(({ id, values }) => ({ ...(id && { id }), ...values }))
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

const bella = { name: 'Bella', categoryId: 1n, status: 'available' }
const max = { name: 'Max, the "big"\none', categoryId: -(2n ** 63n), status: 'sold' }
const quotedMax = '"Max, the ""big""\none"'
const header = 'id,name,categoryId,status'
const pet = { id: 1234567890123451n, name: 'A', categoryId: 1n, status: 'sold' } as const
const exported = (await text(textOf([{ pet, version: pet }], 'csv'))).trim().split(',').at(-1) ?? ''

describe('a file of pets', () => {
  it.each<[string, string]>([
    ['commas', `name,categoryId,status\nBella,1,available\n${quotedMax},-9223372036854775808,sold\n`],
    ['semicolons, by Windows', `name;categoryId;status\r\nBella;1;\r\n${quotedMax};-9223372036854775808;sold`],
    [
      'tabs, a byte order mark and empty cells',
      `\ufeffname\tcategoryId\tstatus\nBella\t1\t\n${quotedMax}\t-9223372036854775808\tsold\n\t\t\n`,
    ],
    [
      'another order, and empty lines',
      `"status","categoryId","name"\n\n,1,Bella\nsold,-9223372036854775808,${quotedMax}\n\n`,
    ],
    ['lines of several systems', `name,status,categoryId\r\nBella,,1\r${quotedMax},sold,-9223372036854775808\n`],
    [
      'JSON Lines',
      `\ufeff{"name":"Bella","categoryId":1.0}\n\n{"name":"Max, the \\"big\\"\\none","status":"sold","categoryId":-9223372036854775808}\r\n`,
    ],
  ])('is read with %s', (_what, content) => {
    expect(read(content)).toEqual([bella, max])
  })

  const rule = 'id must be a whole number from 1 to 9007199254740991, not '
  const isNoPet = 'Nothing is written.\nLine '

  it.each<[string, string | Buffer, string]>([
    ['of white space', '\ufeff\n \n', 'The file is empty.'],
    ['of Latin 1', Buffer.from('name,categoryId\nMax,1\nZoë,1\n', 'latin1'), 'Line 3 is not UTF-8. Save it as UTF-8'],
    ['of UTF-16', Buffer.from('\ufeffname,categoryId\n', 'utf16le'), 'Line 1 is not UTF-8.'],
    ['that ends within a character', Buffer.from('name,categoryId\nZoë').subarray(0, -1), 'Line 2 is not UTF-8.'],
    ['with a doubled column', 'name,categoryId,name\n', 'Line 1 must name the columns'],
    ['with an unknown column', 'nmae,categoryId\n', 'Line 1 must name the columns'],
    ['with a missing column', 'name\nA', `${isNoPet}2: categoryId is missing`],
    [
      'with line ends of several systems',
      `${header}\r\n5,"A\r\nB",1,sold\n\r6,"A\nB\r",1,sold\r\n7,A,x,sold`,
      `${isNoPet}8: categoryId must be`,
    ],
    ['with a value too many', `${header}\n5,A,B,1,sold`, `${isNoPet}2: it has 5 values, but the header has 4 columns`],
    ['with a wrong quotation mark', `${header}\n5,A,1,sold\n6,"A"B,1,sold\n7,A,1,`, `${isNoPet}3: a quotation mark`],
    ['with an open quotation mark', `${header}\n"5,A,1,sold\n6,A,1,`, `${isNoPet}2: a quotation mark`],
    ['that is no JSON', '{"name":"A","categoryId":1}\n{"name"', `${isNoPet}2: it is not JSON`],
    ['of a JSON array', '[{"name":"A","categoryId":1}]', `${isNoPet}1: it is no JSON object`],
    [
      'with a field twice',
      '{"name":"A","name":"B","categoryId":1}',
      `${isNoPet}1: it is not JSON, or has a field twice`,
    ],
  ])('%s is refused, and says where', (_what, content, message) => {
    expect(read(content)).toEqual(expect.stringContaining(message))
  })

  it.each<[string, ...string[]]>([
    [',A,1,Sold', 'status must be one of available, pending, sold, not "Sold"'],
    [',,1,sold', 'name is missing; it must be a string of 1 to 255 characters'],
    [`,${'A'.repeat(300)},1,sold`, 'name must be a string of 1 to 255 characters, not only spaces, not "AAA'],
    [',A,9223372036854775808,sold', 'categoryId must be an integer from -9223372036854775808 to'],
    ['1e3,,x,sold', 'name is missing', 'categoryId must be an integer', rule],
    ['5,A,1,', 'status is missing in a row with an id'],
    ['2.44E+14,A,1,sold', rule],
    ['9007199254740992,A,1,sold', rule],
    [`1234567890123450,A,1,sold,${exported}`, 'id is not that of the version. If a spreadsheet has rounded it'],
    ['3,A,1,sold', 'the id 3 is in line 2 too'],
    ['5,A,1,sold,v1', 'version must be as it was exported, not "v1"'],
    [`5,A,1,sold,${exported.slice(0, -1)}`, 'version must be as it was exported, not "'],
    [`,A,1,sold,${exported}`, 'id is not that of the version'],
    ['{"id":5,"name":"A","categoryId":1}', 'status is missing in a row with an id'],
    ['{"name":"A","categoryId":1,"tail":3}', 'tail is no field of a pet'],
    ['{"id":1.5,"name":null,"status":"sold"}', 'name must be a string', 'categoryId is missing', rule],
  ])('with the row %s says what is wrong in which column', (row, ...expected) => {
    const isVersioned = row.split(',').length === 5
    const csv = `${header}${isVersioned ? ',version' : ''}\n3,A,1,sold${isVersioned ? ',' : ''}\n${row}`
    const lines = String(read(row.startsWith('{') ? `{"name":"A","categoryId":1}\n\n${row}` : csv)).split('\n')
    const mistakes = expected.map((mistake) => expect.stringContaining(`Line 3: ${mistake}`))
    expect(lines).toEqual(['Nothing is written.', ...mistakes])
  })

  it('shows 100 mistakes, and says once that versions are missing', () => {
    const lines = String(read(`${header}\n5,A,1,sold\n6,A,1,sold\n${',A,x,sold\n'.repeat(150)}`, false)).split('\n')
    expect([lines.length, lines[1], lines.at(-1)]).toEqual([
      102,
      expect.stringMatching(/^Line 2: version is missing, so .* --overwrite\.$/),
      'There are more.',
    ])
  })

  const written = (name: string, format: Format) =>
    text(textOf([{ pet: { id: 5n, name, categoryId: 1n, status: 'sold' }, version: undefined }], format))

  it.each(['=1+1', '+1', '-1', '@SUM', '\t=1', '＝1', "'=1"])('shows a spreadsheet no formula %j', async (name) => {
    expect((await written(name, 'csv')).split('\n')[1]).toMatch(/^5,"?'/)
  })

  it('shows other programs no line end within a line of JSON', async () => {
    expect(await written('\u2028\u2029\n', 'jsonl')).toMatch(/^\{.*"\\u2028\\u2029\\n".*\}\n$/)
  })
})
