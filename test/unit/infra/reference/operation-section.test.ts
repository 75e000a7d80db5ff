import { expect, test } from 'vitest'
import { defaults } from '../../../../infra/environments.ts'
import { renderOperation } from '../../../../infra/reference/operation-section.ts'
import type { SiteOptions } from '../../../../infra/reference/site-options.ts'
import {
  type ContractEdit,
  loadChangedContract,
  removeExampleEdit,
} from '../../../fixtures/environment/changed-contract.ts'

const options: SiteOptions = {
  baseUrl: 'https://api.example.org/v1',
  environment: 'production',
  banPolicy: defaults.production.banPolicy,
}

/** Renders an operation of the contract with changes. */
const renderChanged = async (operationId: string, ...edits: ContractEdit[]): Promise<string> => {
  const { operations } = await loadChangedContract(...edits)
  const [operation] = operations.filter((candidate) => candidate.operationId === operationId)
  if (operation === undefined) throw new Error(`The contract lacks ${operationId}.`)
  return renderOperation(operation, options, {}).markup
}

test('a response without a body has its description alone', async () => {
  const markup = await renderChanged('removeExample', removeExampleEdit)

  expect(markup).toContain('<b>204</b> The example was removed.</summary>')
  expect(markup).not.toContain('removeExample-204-fields')
})

test('a boolean parameter is chosen from a list', async () => {
  const markup = await renderChanged(
    'listPets',
    { part: 'name: cursor', replacement: 'name: isSold' },
    { part: 'schema: { type: string, minLength: 1, maxLength: 100 }', replacement: 'schema: { type: boolean }' },
    { part: 'example: YmVmb3JlOjE0NDcwMQ', replacement: 'example: true' },
  )

  expect(markup).toMatch(/<select id="listPets-isSold"[^>]*>.*<option>true<\/option><option>false<\/option><\/select>/s)
})
