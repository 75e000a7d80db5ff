import { afterEach, expect, it, vi } from 'vitest'
import { planNames } from '../../../shared/api-keys/plans.ts'
import {
  environmentVariables as names,
  readApiKeyPrefix,
  readCount,
  readText,
  readUsagePlanIds,
} from '../../../shared/environment-variables.ts'

const ids = Object.fromEntries(planNames.map((plan) => [plan, `the id of ${plan}`]))
const idsBut = (change: object) => JSON.stringify({ ...ids, ...change })

afterEach(() => vi.unstubAllEnvs())

it.each<[name: string, read: () => unknown, valid: object, invalid: readonly (string | undefined)[], fault: string]>([
  ['PETS_TABLE', () => readText(names.petsTable), { pets: 'pets' }, [undefined, ''], 'is not set.'],
  [
    ...(['REFUSALS_BEFORE_BAN', () => readCount(names.refusalsBeforeBan), { 100: 100, 1: 1 }] as const),
    ...([['0', '-1', '1.5', 'many', 'Infinity'], 'must be a whole number above zero.'] as const),
  ],
  [
    ...(['API_KEY_PREFIX', readApiKeyPrefix, { pet_live_: 'pet_live_', pet_test_: 'pet_test_' }] as const),
    ...([['pet_'], 'must be pet_live_ or pet_test_.'] as const),
  ],
  [
    ...(['USAGE_PLAN_IDS', readUsagePlanIds, { [idsBut({})]: ids }] as const),
    ...([['null', '"text"', '{}', idsBut({ pro: 5 })], 'must have an id for each plan.'] as const),
  ],
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
