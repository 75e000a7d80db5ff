import { afterEach, expect, it, vi } from 'vitest'
import { planNames } from '../../../shared/api-keys/plans.ts'
import {
  environmentVariables as names,
  readApiKeyPrefix,
  readCountVariable,
  readTextVariable,
  readUsagePlanIds,
} from '../../../shared/environment-variables.ts'

const ids = Object.fromEntries(planNames.map((plan) => [plan, `the id of ${plan}`]))
const wrongCounts = ['0', '-1', '1.5', 'many', 'Infinity']
const prefixes = { pet_live_: 'pet_live_', pet_test_: 'pet_test_' }
const wrongIds = ['null', '"text"', '{}', JSON.stringify({ ...ids, pro: 5 })]

afterEach(() => vi.unstubAllEnvs())

it.each<[name: string, read: () => unknown, valid: object, invalid: readonly (string | undefined)[], fault: string]>([
  ['PETS_TABLE', () => readTextVariable(names.petsTable), { pets: 'pets' }, [undefined, ''], 'is not set.'],
  [
    'FIRST_BAN_SECONDS',
    () => readCountVariable(names.firstBanSeconds),
    { 1: 1 },
    wrongCounts,
    'must be a whole number above zero.',
  ],
  ['API_KEY_PREFIX', readApiKeyPrefix, prefixes, ['pet_'], 'must be pet_live_ or pet_test_.'],
  ['USAGE_PLAN_IDS', readUsagePlanIds, { [JSON.stringify(ids)]: ids }, wrongIds, 'must have an id for each plan.'],
])(
  'the environment variable %s is read as the stack sets it, or named in the error',
  (name, read, valid, invalid, fault) => {
    for (const [text, value] of Object.entries(valid)) {
      vi.stubEnv(name, text)
      expect(read()).toEqual(value)
    }
    for (const text of invalid) {
      vi.stubEnv(name, text)
      expect(read).toThrow(`${name} ${fault}`)
    }
  },
)
