import { expect, test } from 'vitest'
import { type Contract, readContract } from '../../../../infra/contract/contract.ts'
import { findOutdatedFiles } from '../../../../infra/contract/generate.ts'
import { generateErrorsModule } from '../../../../infra/contract/service-modules.ts'

const contract = readContract()
const generatedFolder = 'shared/contract/generated'

test('a renamed operation gets files under its new name instead of the old ones', async () => {
  const renamed = contract.operations.map((operation) =>
    operation.name === 'list-pets' ? { ...operation, operationId: 'listAnimals', name: 'list-animals' } : operation,
  )

  const outdated = await findOutdatedFiles({ ...contract, operations: renamed })

  expect([...outdated]).toEqual([
    // A file without a text is outdated because it must be deleted.
    [`${generatedFolder}/list-pets.ts`, undefined],
    [`${generatedFolder}/list-pets.validator.cjs`, undefined],
    [`${generatedFolder}/routes.ts`, expect.stringContaining("'list-animals'")],
    [`${generatedFolder}/list-animals.ts`, expect.stringContaining('export const listAnimals')],
    [`${generatedFolder}/list-animals.validator.cjs`, expect.stringContaining('module.exports')],
  ])
})

/** Changes the components of the contract. */
const changeComponents = (change: Partial<Contract['document']['components']>): Contract => {
  const { document } = contract
  return { ...contract, document: { ...document, components: { ...document.components, ...change } } }
}

const { schemas, examples } = contract.document.components

test('an error code without an example is refused', () => {
  const codes = schemas['ErrorCode']?.examples ?? []

  const changed = changeComponents({ schemas: { ...schemas, ErrorCode: { examples: codes.concat('pet_adopted') } } })

  expect(() => generateErrorsModule(changed)).toThrow('Add an example of pet_adopted to shared/contract/openapi.yaml.')
})

test('an example of an error whose code is not listed is refused', () => {
  const petAdopted = { value: { code: 'pet_adopted', status: 410, message: 'This pet has found a home.' } }

  const changed = changeComponents({ examples: { ...examples, petAdopted } })

  expect(() => generateErrorsModule(changed)).toThrow(
    'Add pet_adopted to the ErrorCode of shared/contract/openapi.yaml.',
  )
})
