import { afterEach, expect, it, vi } from 'vitest'
import {
  environmentVariables as names,
  readApiKeyPrefix,
  readCount,
  readText,
} from '../../../shared/environment-variables.ts'

const { petsTable, refusalsBeforeBan, apiKeyPrefix } = names
const tableName = () => readText(petsTable)
const count = () => readCount(refusalsBeforeBan)
const noTable = 'The environment variable PETS_TABLE is not set.'
const noCount = 'REFUSALS_BEFORE_BAN must be a whole number above zero.'

afterEach(() => {
  vi.unstubAllEnvs()
})

it.each([
  [petsTable, 'pets', tableName, 'pets'],
  [refusalsBeforeBan, '100', count, 100],
  [refusalsBeforeBan, '1', count, 1],
  [apiKeyPrefix, 'pet_live_', readApiKeyPrefix, 'pet_live_'],
])('the environment variable %s is read as the stack sets it: %s', (name, text, read, value) => {
  vi.stubEnv(name, text)
  expect(read()).toBe(value)
})

it.each([
  ...[undefined, ''].map((text) => [petsTable, text, tableName, noTable] as const),
  ...['0', '-1', '1.5', 'many', 'Infinity'].map((text) => [refusalsBeforeBan, text, count, noCount] as const),
  [apiKeyPrefix, 'pet_', readApiKeyPrefix, 'API_KEY_PREFIX must be pet_live_ or pet_test_.'],
] as const)('the environment variable %s is named in the error where it is %j', (name, text, read, message) => {
  vi.stubEnv(name, text)
  expect(read).toThrow(message)
})
