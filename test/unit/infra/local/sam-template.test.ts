import { arch } from 'node:process'
import { expect, test } from 'vitest'
import { localStage } from '../../../../infra/environments.ts'
import { createSamTemplate } from '../../../../infra/local/sam-template.ts'
import { readStacks } from '../../../../infra/local/template/stacks.ts'
import { sharedAssembly } from '../../../fixtures/environment/local-environment.ts'

const databaseEndpoint = 'http://host.docker.internal:8000'
const stacks = readStacks(sharedAssembly, localStage)

test('the template for SAM gives a function the tables and the database of the local environment', () => {
  const { Resources } = createSamTemplate(stacks, databaseEndpoint)

  expect(Resources).toHaveProperty(['get-pet', 'Properties', 'Environment', 'Variables'], {
    AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
    PETS_TABLE: expect.stringMatching(/^pet-adoption-staging-data-/),
  })
})

test('the template for SAM has the architecture of this machine', () => {
  const { Resources } = createSamTemplate(stacks, databaseEndpoint)

  expect(Resources).toHaveProperty('get-pet.Properties.Architectures', [arch === 'arm64' ? 'arm64' : 'x86_64'])
})

test('the template for SAM names a function by its operation wherever it refers to the function', () => {
  const apiStack = stacks.find(({ name }) => name === 'pet-adoption-staging-api')
  const resources = Object.entries(apiStack?.template.Resources ?? {})
  const [logicalId] = resources.find(([, { Metadata }]) => Metadata?.['operation'] === 'get-pet') ?? []

  const text = JSON.stringify(createSamTemplate(stacks, databaseEndpoint))

  expect(logicalId).toMatch(/^\w+$/)
  expect(text).toContain('{"Ref":"get-pet"}')
  expect(text).not.toContain(`"${logicalId}"`)
})
