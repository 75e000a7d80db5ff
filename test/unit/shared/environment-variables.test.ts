import { afterEach, expect, it, vi } from 'vitest'
import { planNames } from '../../../shared/api-keys/plans.ts'
import {
  environmentVariables as names,
  readApiKeyPrefix,
  readCount,
  readText,
  readUsagePlanIds,
} from '../../../shared/environment-variables.ts'

const { petsTable, refusalsBeforeBan, apiKeyPrefix, usagePlanIds } = names
const tableName = () => readText(petsTable)
const count = () => readCount(refusalsBeforeBan)
const noTable = 'The environment variable PETS_TABLE is not set.'
const noCount = 'REFUSALS_BEFORE_BAN must be a whole number above zero.'
const ids = Object.fromEntries(planNames.map((plan) => [plan, `the id of ${plan}`]))
const noIds = 'USAGE_PLAN_IDS must have an id for each plan.'

afterEach(() => {
  vi.unstubAllEnvs()
})

it.each([
  [petsTable, 'pets', tableName, 'pets'],
  [refusalsBeforeBan, '100', count, 100],
  [refusalsBeforeBan, '1', count, 1],
  [apiKeyPrefix, 'pet_live_', readApiKeyPrefix, 'pet_live_'],
  [apiKeyPrefix, 'pet_test_', readApiKeyPrefix, 'pet_test_'],
  [usagePlanIds, JSON.stringify(ids), readUsagePlanIds, ids],
])('the environment variable %s is read as the stack sets it: %s', (name, text, read, value) => {
  vi.stubEnv(name, text)
  expect(read()).toEqual(value)
})

it.each([
  ...[undefined, ''].map((text) => [petsTable, text, tableName, noTable] as const),
  ...['0', '-1', '1.5', 'many', 'Infinity'].map((text) => [refusalsBeforeBan, text, count, noCount] as const),
  [apiKeyPrefix, 'pet_', readApiKeyPrefix, 'API_KEY_PREFIX must be pet_live_ or pet_test_.'],
  ...['null', '"text"', '{}', JSON.stringify({ ...ids, pro: 5 })].map(
    (text) => [usagePlanIds, text, readUsagePlanIds, noIds] as const,
  ),
] as const)('the environment variable %s is named in the error where it is %j', (name, text, read, message) => {
  vi.stubEnv(name, text)
  expect(read).toThrow(message)
})
