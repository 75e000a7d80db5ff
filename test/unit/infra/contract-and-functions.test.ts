import { expect, it } from 'vitest'
import { bundleFunction, functionNames } from '../../../infra/bundling/function-bundle.ts'
import { tableAccess } from '../../../infra/constructs/functions/table-access.ts'
import { readContract } from '../../../infra/contract/contract.ts'

const operations = readContract().operations.map(({ name }) => name)

it('each operation of the contract has a function and its permissions, and there is no other but the three without a route', () => {
  expect(functionNames()).toEqual([...operations, 'authorizer', 'gateway-keys', 'unknown-route'].toSorted())
  expect(Object.keys(tableAccess).toSorted()).toEqual(functionNames())
})

it('synth says which function is missing', () => {
  expect(() => bundleFunction('adopt-pet', '/nowhere')).toThrow(
    'The function adopt-pet is missing: add functions/adopt-pet/index.ts.',
  )
})
