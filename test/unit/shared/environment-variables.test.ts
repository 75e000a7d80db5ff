import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  environmentVariables as names,
  readApiKeyPrefix,
  readCount,
  readText,
} from '../../../shared/environment-variables.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('an environment variable', () => {
  it('is read with the value that the stack sets', () => {
    vi.stubEnv(names.petsTable, 'pets')
    vi.stubEnv(names.refusalsBeforeBan, '100')
    vi.stubEnv(names.apiKeyPrefix, 'pet_live_')
    expect([readText(names.petsTable), readCount(names.refusalsBeforeBan), readApiKeyPrefix()]).toEqual([
      'pets',
      100,
      'pet_live_',
    ])
  })

  it.each([undefined, ''])('is named in the error where it is %j', (value) => {
    vi.stubEnv(names.petsTable, value)
    expect(() => readText(names.petsTable)).toThrow('PETS_TABLE')
  })

  it.each(['0', '-1', '1.5', 'many', 'Infinity'])(
    'is named in the error where it is no whole number above zero: %s',
    (value) => {
      vi.stubEnv(names.refusalsBeforeBan, value)
      expect(() => readCount(names.refusalsBeforeBan)).toThrow('REFUSALS_BEFORE_BAN')
    },
  )

  it('is named in the error where it is no prefix of an API key', () => {
    vi.stubEnv(names.apiKeyPrefix, 'pet_')
    expect(readApiKeyPrefix).toThrow('API_KEY_PREFIX')
  })
})
