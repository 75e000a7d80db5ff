import { expect, it, vi } from 'vitest'
import { planNames } from '../../../shared/api-keys/plans.ts'
import {
  environmentVariables,
  readApiKeyPrefix,
  readCountVariable,
  readTextVariable,
  readUsagePlanIds,
} from '../../../shared/environment-variables.ts'

it.each([{ value: undefined }, { value: '' }])(
  'an error names a text variable that is empty or not set: $value',
  ({ value }) => {
    vi.stubEnv('PETS_TABLE', value)

    expect(() => readTextVariable(environmentVariables.petsTable)).toThrow(
      'The environment variable PETS_TABLE is not set.',
    )
  },
)

it.each(['0', '-1', '1.5', 'many', 'Infinity'])('an error names a count variable that is %s', (value) => {
  vi.stubEnv('FIRST_BAN_SECONDS', value)

  expect(() => readCountVariable(environmentVariables.firstBanSeconds)).toThrow(
    'The environment variable FIRST_BAN_SECONDS must be a whole number above zero.',
  )
})

it('an error names the variable of a prefix that is neither pet_live_ nor pet_test_', () => {
  vi.stubEnv('API_KEY_PREFIX', 'pet_')

  expect(readApiKeyPrefix).toThrow('API_KEY_PREFIX must be pet_live_ or pet_test_.')
})

const usagePlanIds = Object.fromEntries(planNames.map((plan) => [plan, `the id of ${plan}`]))

it('the ids of the usage plans are read as an object', () => {
  vi.stubEnv('USAGE_PLAN_IDS', JSON.stringify(usagePlanIds))

  expect(readUsagePlanIds()).toEqual(usagePlanIds)
})

it.each([{ ids: 'null' }, { ids: '"text"' }, { ids: '{}' }, { ids: JSON.stringify({ ...usagePlanIds, pro: 5 }) }])(
  'an error names the variable of usage plans that have no id: $ids',
  ({ ids }) => {
    vi.stubEnv('USAGE_PLAN_IDS', ids)

    expect(readUsagePlanIds).toThrow('USAGE_PLAN_IDS must have an id for each plan.')
  },
)
