import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { UserError } from '../../../../../../infra/command-line/user-error.ts'
import { claimOutput } from '../../../../../../infra/operations/pets/files.ts'
import { checkFile } from '../../../../../../infra/operations/pets/rows/check-file.ts'
import { type Format, textOf } from '../../../../../../infra/operations/pets/rows/format.ts'
import { checkText, readRows } from '../../../../../../infra/operations/pets/rows/read-rows.ts'
import type { Pet } from '../../../../../../shared/pets/pet.ts'
import { sized } from '../../../../../fixtures/size.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-rows-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'pets')

/** The rows of a file as pets, and its mistakes as lines; or why it cannot be read. */
const read = async (content: string | Buffer) => {
  writeFileSync(file, content)
  const pets: object[] = []
  const mistakes: string[] = []
  try {
    await checkText(file)
    for await (const row of readRows(file)) {
      if ('mistakes' in row) mistakes.push(...row.mistakes.map((one) => `${one.line} ${one.column ?? ''}: ${one.text}`))
      else pets.push({ ...(row.id !== undefined && { id: row.id }), ...row.values })
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
    ['lines of several systems', `name,status,categoryId\r\nBella,,1\r${quotedMax},sold,-9223372036854775808\n`],
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
    ['with an unknown column', 'nmae,categoryId\n', /: "nmae" is no column of a pet\. name is missing\.$/],
  ])('%s is refused', async (_what, content, message) => {
    expect(await read(content)).toMatch(message)
  })

  const header = 'id,name,categoryId,status'
  const rule = 'id: must be a whole number from 1 to 9007199254740991 in digits'

  it.each<[string, string, string[]]>([
    ['a wrong status', `${header}\n,A,1,Sold`, ['2 status: must be one of available, pending, sold, not "Sold"']],
    ['an empty name', `${header}\n,,1,sold`, ['2 name: is missing; it must be a string of 1 to 255 characters']],
    ['300 characters', `${header}\n,${'A'.repeat(300)},1,sold`, ['2 name: must be a string of 1 to 255 characters']],
    [
      'a category beyond int64',
      `${header}\n,A,9223372036854775808,sold`,
      ['2 categoryId: must be an integer from -92'],
    ],
    ['a category that is no integer', `${header}\n,A,1.5,sold`, ['2 categoryId: must be an integer']],
    ['three mistakes', `${header}\n1e3,,x,sold`, ['2 name: is missing', '2 categoryId: must be', `2 ${rule}`]],
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
    ['a version of no export', `${header},version\n5,A,1,sold,v1`, ['2 version: must be as it was exported, not "v1"']],
    [
      'a version and no id',
      `${header},version\n,A,1,sold,v0123456789ab`,
      ['2 version: must be empty in a row without'],
    ],
    [
      'lines of several systems in and between its values',
      `${header}\r\n5,"A\r\nB",1,sold\n\r6,"A\nB\r",1,sold\r\n7,A,x,sold`,
      ['8 categoryId: must be'],
    ],
    ['a value too many', `${header}\n5,A,B,1,sold`, ['2 : it has 5 values, but the header has 4 columns']],
    ['a wrong quotation mark', `${header}\n5,A,1,sold\n6,"A"B,1,sold\n7,A,1,sold`, ['3 : a quotation mark']],
    ['an open quotation mark', `${header}\n"5,A,1,sold\n6,A,1,sold`, ['2 : a quotation mark']],
    ['no JSON', '{"name":"A","categoryId":1}\n{"name"', ['2 : it is not JSON']],
    ['no object', '{"name":"A","categoryId":1}\n[]', ['2 : it must be a JSON object']],
    ['a field twice', '{"name":"A","name":"B","categoryId":1}', ['1 : it has a field twice']],
    ['an unknown field', '{"name":"A","categoryId":1,"tail":3}', ['1 tail: is no field of a pet']],
    ['a JSON id in scientific notation', '{"id":2.44E+14,"name":"A","categoryId":1,"status":"sold"}', [`1 ${rule}`]],
    ['a JSON id as text', '{"id":"5","name":"A","categoryId":1,"status":"sold"}', [`1 ${rule}`]],
    ['a missing field', '{"name":"A"}', ['1 categoryId: is missing; it must be an integer']],
  ])('with %s says where', async (_what, text, expected) => {
    const result = await read(text)
    if (typeof result === 'string') throw new Error(result)
    expect(result.mistakes.map((mistake, index) => mistake.slice(0, expected[index]?.length ?? 999))).toEqual(expected)
  })

  it('with an id twice is refused', async () => {
    writeFileSync(file, `${header}\n5,A,1,sold\n6,A,1,sold\n5,A,1,sold`)
    const refused = /^Nothing is written\.\nLine 4, column id: 5 is in line 2 too\.$/
    await expect(checkFile(file, true, new AbortController().signal)).rejects.toThrow(refused)
  })

  const pet: fc.Arbitrary<Pet> = fc.record({
    id: fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }),
    name: fc
      .oneof(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.tuple(fc.stringMatching(/^'{0,2}[=+@\t\r\n＝-]$/), fc.string()).map((parts) => parts.join('')),
        fc.stringMatching(/^[;,"'\t\r\n\ufeff\u2028\u2029\u0085]{0,5}$/),
      )
      .map((name) => `${name.toWellFormed()}x`),
    categoryId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    status: fc.constantFrom('available', 'pending', 'sold'),
  })
  const pets = fc.uniqueArray(pet, { selector: ({ id }) => id, minLength: 1, maxLength: 10 })

  it.each<Format>(['csv', 'jsonl'])('that was written as %s is read as it was', async (format) => {
    const property = fc.asyncProperty(pets, async (written) => {
      const out = join(folder, 'written')
      using output = claimOutput(out, { replaces: true })
      await output.write(textOf(written, format), new AbortController().signal)
      expect(readFileSync(out, 'utf8')).not.toMatch(/[\u2028\u2029].*"version"/)
      expect(await read(readFileSync(out))).toEqual({ pets: written, mistakes: [] })
    })
    await fc.assert(property, { numRuns: sized(50, 1_000) })
  })
})
