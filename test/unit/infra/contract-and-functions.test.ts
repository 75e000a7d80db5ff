import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readFunctionFolders } from '../../../infra/constructs/functions/function-folders.ts'
import { type ContractOperation, readContract } from '../../../infra/contract/contract.ts'
import { createStage } from './synthesized.ts'

const { operations } = readContract()
const folders = readFunctionFolders()
const added: ContractOperation = {
  operationId: 'adoptPet',
  name: 'adopt-pet',
  method: 'POST',
  path: '/pets/{petId}/adoption',
  summary: 'Adopt an animal',
  description: 'Adopts it.',
  parameters: [],
  body: undefined,
  responses: {},
  deprecation: undefined,
  isReserved: false,
  hasPanel: true,
}

describe('synth fails where', () => {
  it.each([
    [
      'an operation has no function',
      { operations: [...operations, added] },
      'The function adopt-pet is missing: add functions/adopt-pet/index.ts.',
    ],
    [
      'an operation has no entry of its permissions',
      { operations: [...operations, added], functionFolders: [...folders, 'adopt-pet'] },
      'infra/constructs/functions/table-access.ts has no entry adopt-pet: add one with the permissions of the operation.',
    ],
    [
      'a function is no operation',
      { functionFolders: [...folders, 'adopt-pet'] },
      'functions/adopt-pet is no operation of shared/contract/openapi.yaml: rename or remove it, or add its operation.',
    ],
    [
      'the name of a function is misspelt',
      { functionFolders: folders.map((name) => name.replace('get-pet', 'get-pets')) },
      'rename or remove it, or add its operation. Did you mean get-pet?',
    ],
    [
      'permissions name no operation',
      {
        operations: operations.filter(({ name }) => name !== 'get-pet'),
        functionFolders: folders.filter((name) => name !== 'get-pet'),
      },
      'infra/constructs/functions/table-access.ts has get-pet, which is no operation of shared/contract/openapi.yaml: remove that entry.',
    ],
    [
      'the authorizer is missing',
      { functionFolders: folders.filter((name) => name !== 'authorizer') },
      'The function authorizer is missing: add functions/authorizer/index.ts.',
    ],
  ])('%s', (_, change, message) => {
    expect(() => createStage('staging', change)).toThrow(message)
  })
})

it.each(operations.map(({ name }) => `test/e2e/${name}.test.ts`))('an operation has the test %s', (file) => {
  expect(existsSync(new URL(`../../../${file}`, import.meta.url)), `Add ${file}.`).toBe(true)
})
