import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { clientTypesFile, generate, generateClientTypes, generatedFolder } from '../../../../infra/contract/generate.ts'
import { rule } from '../../../../infra/contract/operation-module.ts'
import { readmeTables } from '../../../../infra/contract/readme-tables.ts'

const generated = await generate()

it('has written every file in shared/contract/generated, and no other', () => {
  expect(readdirSync(generatedFolder).sort(), 'Run npm run generate.').toEqual([...generated.keys()].sort())
})

it.each([...generated])('has written the committed text of %s', (name, text) => {
  expect(readFileSync(new URL(name, generatedFolder), 'utf8'), 'Run npm run generate.').toBe(text)
})

it('has written the types beside the TypeScript client', async () => {
  expect(readFileSync(clientTypesFile, 'utf8'), 'Run npm run generate.').toBe(await generateClientTypes())
})

describe('the README', () => {
  const { operations } = readContract()
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')

  it('has a row for each operation and plan', () => {
    expect(readmeTables(readme, operations), 'Run npm run generate.').toBe(readme)
  })

  it('gets the rows that are missing, loses those of nothing, and keeps what is written', () => {
    const [list, last] = [operations[0], operations.at(-1)]
    if (list === undefined || last === undefined) throw new Error('The contract has no operation.')
    const added = { ...list, path: '/pets/added', summary: 'An added operation' }
    const changed = readmeTables(readme.replace('| Pro | 300 |', '| Pro | 30 |'), [...operations.slice(0, -1), added])
    expect(changed).toContain('\n| Pro | 300 | 10,000 |\n')
    expect(changed).toContain('\n| `GET /pets/added` | An added operation |\n')
    expect(changed).not.toContain(`\`${last.method} ${last.path}\``)
    expect(readmeTables(changed, operations).split('\n').length).toBe(readme.split('\n').length)
    expect(changed).toContain('| `GET /pets` | a page of animals')
  })
})

describe('what a value must be', () => {
  it.each([
    [{ type: 'string', maxLength: 500 }, 'a string of at most 500 characters'],
    [{ type: 'string', minLength: 0, maxLength: 500 }, 'a string of 0 to 500 characters'],
    [{ type: 'integer', format: 'int64', minimum: 1 }, 'an integer from 1 to 9223372036854775807'],
    [{ type: 'integer', minimum: 1, maximum: 5 }, 'an integer from 1 to 5'],
    [{ type: 'boolean' }, 'true or false'],
    [{ type: 'array', 'x-rule': 'a list of names' }, 'a list of names'],
  ])('is said of %j', (schema, sentence) => {
    expect(rule(schema, 'field')).toBe(sentence)
  })

  it.each([
    { type: 'string' },
    { type: 'string', minLength: 1 },
    { type: 'integer', format: 'int32' },
    { type: 'number' },
  ])('is refused where it cannot be said: %j', (schema) => {
    expect(() => rule(schema, 'age')).toThrow('the field age lacks the bounds that its callers are told')
  })
})
