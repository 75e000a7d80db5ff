import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

import { type ContractOperation, readContract } from '../../../../infra/contract/contract.ts'
import { findOutdatedFiles, updateReadmeTables } from '../../../../infra/contract/generate.ts'

const { operations, ...contract } = readContract()
const readme = readFileSync('README.md', 'utf8')
const generatedFolder = 'shared/contract/generated'

/** Changes one operation of the contract. */
const changeOperation = (name: string, change: Partial<ContractOperation>): ContractOperation[] =>
  operations.map((operation) => (operation.name === name ? { ...operation, ...change } : operation))

/** Counts the lines of a text. */
const countLines = (text: string): number => text.split('\n').length

test('The committed files are those that the contract generates', async () => {
  const outdated = await findOutdatedFiles()

  expect([...outdated.keys()], 'Run npm run generate.').toEqual([])
})

test('A renamed operation gets a file under its new name instead of the old one', async () => {
  const renamed = changeOperation('list-pets', { operationId: 'listAnimals', name: 'list-animals' })

  const outdated = await findOutdatedFiles({ ...contract, operations: renamed })

  expect([...outdated]).toEqual([
    // The file must be deleted.
    [`${generatedFolder}/list-pets.ts`, undefined],
    [`${generatedFolder}/routes.ts`, expect.stringContaining("'list-animals'")],
    [`${generatedFolder}/list-animals.ts`, expect.stringContaining('export const listAnimals')],
  ])
})

test('The README gets the limits of a plan that have changed', () => {
  const changed = readme.replace('| Pro | 300 |', '| Pro | 30 |')

  const updated = updateReadmeTables(changed, operations)

  expect(updated).toContain('\n| Pro | 300 | 10,000 |\n')
  expect(updated).toBe(readme)
})

test('The README gets a row for an operation that has moved', () => {
  const moved = changeOperation('get-pet', { path: '/pets/moved', summary: 'Moved' })

  const updated = updateReadmeTables(readme, moved)

  expect(updated).toContain('\n| `GET /pets/moved` | Moved |\n')
})

test('The README loses the row of an operation that the contract does not have', () => {
  const moved = changeOperation('get-pet', { path: '/pets/moved', summary: 'Moved' })

  const updated = updateReadmeTables(readme, moved)

  expect(updated).not.toContain('| `GET /pets/{petId}`')
})

test('The README has one row for an operation that is moved and moved back', () => {
  const moved = changeOperation('get-pet', { path: '/pets/moved', summary: 'Moved' })
  const updated = updateReadmeTables(readme, moved)

  const updatedAgain = updateReadmeTables(updated, operations)

  expect(countLines(updatedAgain)).toBe(countLines(readme))
})

test('The README keeps the text of a row when another operation is moved', () => {
  const moved = changeOperation('get-pet', { path: '/pets/moved', summary: 'Moved' })

  const updated = updateReadmeTables(readme, moved)

  expect(updated).toContain('\n| `GET /pets` | a page of animals')
})

test('A README without the table of plans is an error', () => {
  const changed = readme.replace('\n| plan |', '\n| tier |')

  expect(() => updateReadmeTables(changed, operations)).toThrow(
    'Cannot update the table of plans in README.md: it has no "| plan |".',
  )
})

test('A README without the table of operations is an error', () => {
  const changed = readme.replace('\n| operation |', '\n| request |')

  expect(() => updateReadmeTables(changed, operations)).toThrow(
    'Cannot update the table of operations in README.md: it has no "| operation |".',
  )
})
