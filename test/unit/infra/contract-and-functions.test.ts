import { existsSync } from 'node:fs'
import { Stack } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { warnOfSunsets } from '../../../infra/constructs/api/sunset-warnings.ts'
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

describe('a deprecated operation', () => {
  const warningsOf = (stack: Stack) =>
    stack.node.metadata.filter(({ data }) => String(data).includes('getPet responds 404 from 2030-12-05 on'))

  it.each([
    ['2026-11-21T00:00:00Z', 0],
    ['2030-09-05T23:59:59Z', 0],
    ['2030-09-06T00:00:00Z', 1],
    ['2030-12-05T00:00:00Z', 1],
    ['2031-06-01T00:00:00Z', 1],
  ])('at %s gives %i warnings', (time, count) => {
    const stack = new Stack()
    warnOfSunsets(stack, operations, () => Date.parse(time))
    expect(warningsOf(stack)).toHaveLength(count)
  })

  it('gives its warning at synth', () => {
    expect(warningsOf(createStage('staging', { clock: () => Date.parse('2030-12-05') }).api)).toHaveLength(1)
  })
})
