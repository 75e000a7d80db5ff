import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { announceSunsets, findOutdatedFiles, updateReadmeTables } from '../../../../infra/contract/generate.ts'
import { rule } from '../../../../infra/contract/service-modules.ts'

it('has written every file as it is, and no other', async () => {
  expect([...(await findOutdatedFiles()).keys()], 'Run npm run generate.').toEqual([])
})

const { operations, ...contract } = readContract()

/** The operations of the contract, one of which is another. */
const operationsWith = (name: string, change: object) =>
  operations.map((one) => (one.name === name ? { ...one, ...change } : one))

it('writes the files of an operation that the contract gets, and deletes those of one that it loses', async () => {
  const renamed = operationsWith('list-pets', { operationId: 'listAnimals', name: 'list-animals' })
  const folder = 'shared/contract/generated'
  expect([...(await findOutdatedFiles({ ...contract, operations: renamed }))]).toEqual([
    [`${folder}/list-pets.ts`, undefined],
    [`${folder}/routes.ts`, expect.stringContaining("'list-animals'")],
    [`${folder}/list-animals.ts`, expect.stringContaining('export const listAnimals')],
  ])
})

it('the README gets the rows that are missing, loses those of nothing, and keeps what is written', () => {
  const readme = readFileSync('README.md', 'utf8')
  const moved = operationsWith('get-pet', { path: '/pets/added', summary: 'Added' })
  const changed = updateReadmeTables(readme.replace('| Pro | 300 |', '| Pro | 30 |'), moved)
  const rows = ['| Pro | 300 | 10,000 |\n', '| `GET /pets/added` | Added |\n', '| `GET /pets` | a page of animals']
  for (const row of rows) expect(changed).toContain(`\n${row}`)
  expect(changed).not.toContain('| `GET /pets/{petId}`')
  expect(updateReadmeTables(changed, operations).split('\n').length).toBe(readme.split('\n').length)
})

it.each([
  ['2030-09-05T23:59:59Z', []],
  ['2030-09-06T00:00:00Z', ['getPet responds 404 from 2030-12-05 on: tell its callers, then remove it.']],
])('at %s the sunsets to announce are %j', (time, sentences) => {
  expect(announceSunsets(readContract(), () => Date.parse(time))).toEqual(sentences)
})

it.each([
  [{ type: 'string', maxLength: 500 }, 'a string of at most 500 characters'],
  [{ type: 'string', minLength: 0, maxLength: 500 }, 'a string of 0 to 500 characters'],
  [{ type: 'integer', format: 'int64', minimum: 1 }, 'an integer from 1 to 9223372036854775807'],
  [{ type: 'integer', minimum: 1, maximum: 5 }, 'an integer from 1 to 5'],
  [{ type: 'boolean' }, 'true or false'],
  [{ type: 'array', 'x-rule': 'a list of names' }, 'a list of names'],
])('callers are told what a value of %j must be: %s', (schema, sentence) => {
  expect(rule(schema, 'field')).toBe(sentence)
})

it('a value is refused for which callers cannot be told what it must be', () => {
  for (const schema of [{ type: 'string', minLength: 1 }, { type: 'integer', format: 'int32' }, { type: 'number' }]) {
    expect(() => rule(schema, 'age')).toThrow('the field age lacks the bounds that its callers are told')
  }
})
