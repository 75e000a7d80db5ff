import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import type { Format } from '../../../../../infra/operations/pets/format.ts'
import { blocksOf } from '../../../../../infra/operations/pets/import-plan.ts'
import { checkEncoding } from '../../../../../infra/operations/pets/read-rows.ts'
import { savePets } from '../../../../../infra/operations/pets/write-pets.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { sized } from '../../../../fixtures/size.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-rows-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'pets')

/** The rows of a file as pets, and its mistakes as lines; or why it cannot be read. */
const read = async (content: string | Buffer) => {
  writeFileSync(file, content)
  const pets: object[] = []
  const mistakes: string[] = []
  try {
    await checkEncoding(file)
    for await (const block of blocksOf(file)) {
      pets.push(...block.rows.map(({ id, values }) => ({ ...(id !== undefined && { id }), ...values })))
      mistakes.push(...block.mistakes.map(({ line, column = '', text }) => `${line} ${column}: ${text}`))
    }
    return { pets, mistakes }
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

const bella = { name: 'Bella', categoryId: 1n, status: 'available' }
const max = { name: 'Max, the "big"\none', categoryId: -(2n ** 63n), status: 'sold' }
const quotedMax = '"Max, the ""big""\none"'

describe('a file of pets', () => {
  it.each<[string, string]>([
    ['commas', `name,categoryId,status\nBella,1,available\n${quotedMax},-9223372036854775808,sold\n`],
    [
      'semicolons, and lines of Windows',
      `name;categoryId;status\r\nBella;1;\r\n${quotedMax};-9223372036854775808;sold`,
    ],
    [
      'tabs, and a byte order mark',
      `\ufeffname\tcategoryId\tstatus\nBella\t1\t\n${quotedMax}\t-9223372036854775808\tsold\n\t\t\n`,
    ],
    [
      'another order, quoted names, and empty lines',
      `"status","categoryId","name"\n\n,1,Bella\nsold,-9223372036854775808,${quotedMax}\n\n`,
    ],
    [
      'JSON Lines',
      `{"name":"Bella","categoryId":1.0}\n\n${JSON.stringify({ name: max.name, status: 'sold' }).slice(0, -1)},"categoryId":-9223372036854775808}\r\n`,
    ],
  ])('is read with %s', async (_what, text) => {
    expect(await read(text)).toEqual({ pets: [bella, max], mistakes: [] })
  })

  it.each<[string, string | Buffer, RegExp]>([
    ['of 0 bytes', '', /^The file is empty\.$/],
    ['of white space', '\ufeff\n \n', /^The file is empty\.$/],
    ['of Latin 1', Buffer.from('name,categoryId\nMax,1\nZoë,1\n', 'latin1'), /^Line 3 is not UTF-8\. Save it as UTF-8/],
    ['of UTF-16', Buffer.from('\ufeffname,categoryId\n', 'utf16le'), /^Line 1 is not UTF-8/],
    ['that ends within a character', Buffer.from('name,categoryId\nZoë').subarray(0, -1), /^Line 2 is not UTF-8/],
    ['with a missing column', 'id,name,categoryId\n', /^The header in line 1 .*: status is missing\.$/],
    ['with a doubled column', 'name,categoryId,name\n', /: name is there twice\.$/],
    [
      'with an unknown column',
      'nmae,categoryId\n',
      /: "nmae" is no column of a pet\. Did you mean name\? name is missing/,
    ],
    ...sized<[string, string, RegExp][]>(
      [],
      [['of a million rows and one', `name,categoryId\n${'A,1\n'.repeat(1_000_001)}`, /rows, from line 1000002 on/]],
    ),
  ])('%s is refused', async (_what, content, message) => {
    expect(await read(content)).toMatch(message)
  })

  const header = 'id,name,categoryId,status'
  const rule = 'id: must be a whole number from 1 to 9007199254740991 in digits'

  it.each<[string, string, string[]]>([
    ['a wrong status', `${header}\n,A,1,Sold`, ['2 status: must be one of available, pending, sold, not "Sold"']],
    ['an empty name', `${header}\n,,1,sold`, ['2 name: must be a string of 1 to 255 characters']],
    ['300 characters', `${header}\n,${'A'.repeat(300)},1,sold`, ['2 name: must be a string of 1 to 255 characters']],
    [
      'a category beyond int64',
      `${header}\n,A,9223372036854775808,sold`,
      ['2 categoryId: must be an integer from -92'],
    ],
    ['a category that is no integer', `${header}\n,A,1.5,sold`, ['2 categoryId: must be an integer']],
    ['three mistakes', `${header}\n1e3,,x,sold`, [`2 ${rule}`, '2 name: must be', '2 categoryId: must be']],
    ['no status of a known pet', `${header}\n5,A,1,`, ['2 status: is missing in a row with an id']],
    ['an id in scientific notation', `${header}\n2.44E+14,A,1,sold`, [`2 ${rule}`]],
    ['an id with a fraction', `${header}\n244204191543296.0,A,1,sold`, [`2 ${rule}`]],
    ['an id beyond 2^53', `${header}\n9007199254740992,A,1,sold`, [`2 ${rule}`]],
    [
      'ids that were rounded',
      `${header}\n5,A,1,sold\n1234567890123450,A,1,sold`,
      ['3 id: has more than 15 digits and ends with 0'],
    ],
    ['ids that were not', `${header}\n1234567890123451,A,1,sold\n1234567890123450,A,1,sold`, []],
    ['an id twice', `${header}\n5,A,1,sold\n5,A,1,sold`, ['3 id: 5 is in line 2 too']],
    ['a value too many', `${header}\n5,A,B,1,sold`, ['2 : it has 5 values, but the header has 4 columns']],
    ['a wrong quotation mark', `${header}\n5,A,1,sold\n6,"A"B,1,sold\n7,A,1,sold`, ['3 : a quotation mark']],
    ['an open quotation mark', `${header}\n"5,A,1,sold\n6,A,1,sold`, ['2 : a quotation mark']],
    ['no JSON', '{"name":"A","categoryId":1}\n{"name"', ['2 : it is not JSON']],
    ['no object', '{"name":"A","categoryId":1}\n[]', ['2 : it must be a JSON object']],
    ['a field twice', '{"name":"A","name":"B","categoryId":1}', ['1 : it has a field twice']],
    ['an unknown field', '{"name":"A","categoryId":1,"age":3}', ['1 age: is no field of a pet']],
    ['a JSON id in scientific notation', '{"id":2.44E+14,"name":"A","categoryId":1,"status":"sold"}', [`1 ${rule}`]],
    ['a JSON id as text', '{"id":"5","name":"A","categoryId":1,"status":"sold"}', [`1 ${rule}`]],
    ['a missing field', '{"name":"A"}', ['1 categoryId: is missing; it must be an integer']],
  ])('with %s says where', async (_what, text, expected) => {
    const result = await read(text)
    if (typeof result === 'string') throw new Error(result)
    expect(result.mistakes.map((mistake, index) => mistake.slice(0, expected[index]?.length ?? 999))).toEqual(expected)
  })

  const pet: fc.Arbitrary<Pet> = fc.record({
    id: fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }),
    name: fc
      .oneof(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.tuple(fc.stringMatching(/^'{0,2}[=+@\t\r\n＝-]$/), fc.string()).map((parts) => parts.join('')),
        fc.stringMatching(/^[;,"'\t\r\n\ufeff]{0,5}$/),
      )
      .map((name) => `${name.toWellFormed()}x`),
    categoryId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    status: fc.constantFrom('available', 'pending', 'sold'),
  })
  const pets = fc.uniqueArray(pet, { selector: ({ id }) => id, minLength: 1, maxLength: 10 })

  it.each<Format>(['csv', 'jsonl'])('that was written as %s is read as it was', async (format) => {
    const property = fc.asyncProperty(pets, async (written) => {
      const out = join(folder, 'written')
      await savePets(written, format, out)
      expect(await read(readFileSync(out))).toEqual({ pets: written, mistakes: [] })
    })
    await fc.assert(property, { numRuns: sized(20, 500) })
  })
})
