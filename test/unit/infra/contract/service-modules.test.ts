import { expect, test } from 'vitest'
import { type Contract, readContract } from '../../../../infra/contract/contract.ts'
import { generateErrorsModule } from '../../../../infra/contract/service-modules.ts'

const contract = readContract()

/** Changes the components of the contract. */
const changeComponents = (change: Partial<Contract['document']['components']>): Contract => {
  const { document } = contract
  return { ...contract, document: { ...document, components: { ...document.components, ...change } } }
}

const { schemas, examples } = contract.document.components

test('The contract must have an example of each error code that it lists', () => {
  const codes = schemas['ErrorCode']?.examples ?? []

  const changed = changeComponents({ schemas: { ...schemas, ErrorCode: { examples: codes.concat('pet_adopted') } } })

  expect(() => generateErrorsModule(changed)).toThrow('Add an example of pet_adopted to shared/contract/openapi.yaml.')
})

test('The contract must list the code of each error that it has as an example', () => {
  const petAdopted = { value: { code: 'pet_adopted', status: 410, message: 'This pet has found a home.' } }

  const changed = changeComponents({ examples: { ...examples, petAdopted } })

  expect(() => generateErrorsModule(changed)).toThrow(
    'Add pet_adopted to the ErrorCode of shared/contract/openapi.yaml.',
  )
})
