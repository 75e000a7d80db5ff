import { expect, test } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { findOutdatedFiles } from '../../../../infra/contract/generate.ts'

const { operations, ...contract } = readContract()
const generatedFolder = 'shared/contract/generated'

test('A renamed operation gets files under its new name instead of the old ones', async () => {
  const renamed = operations.map((operation) =>
    operation.name === 'list-pets' ? { ...operation, operationId: 'listAnimals', name: 'list-animals' } : operation,
  )

  const outdated = await findOutdatedFiles({ ...contract, operations: renamed })

  expect([...outdated]).toEqual([
    // Two files must be deleted.
    [`${generatedFolder}/list-pets.ts`, undefined],
    [`${generatedFolder}/list-pets.validator.cjs`, undefined],
    [`${generatedFolder}/routes.ts`, expect.stringContaining("'list-animals'")],
    [`${generatedFolder}/list-animals.ts`, expect.stringContaining('export const listAnimals')],
    [`${generatedFolder}/list-animals.validator.cjs`, expect.stringContaining('module.exports')],
  ])
})
