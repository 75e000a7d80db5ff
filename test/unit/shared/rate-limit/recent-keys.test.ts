import { expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { RecentKeys } from '../../../../shared/rate-limit/recent-keys.ts'
import { apiKeyRecord } from '../api-keys/records.ts'

const keyHash = (number: number) => hashApiKey(`key ${number}`)
const now = Date.UTC(2030, 0, 1)

it('remembers what it saw last of a key', () => {
  const recent = new RecentKeys()
  recent.recall(keyHash(1)).see(0, apiKeyRecord({ minuteCount: 1 }), now)
  recent.recall(keyHash(1)).see(0, apiKeyRecord({ minuteCount: 2 }), now)
  expect(recent.recall(keyHash(1)).seen(0)?.minuteCount).toBe(2)
  expect(recent.recall(keyHash(2)).seen(0)).toBeUndefined()
})

it('forgets a key that it is told to forget', () => {
  const recent = new RecentKeys()
  recent.recall(keyHash(1)).see(0, apiKeyRecord({}), now)
  recent.forget(keyHash(1))
  expect(recent.recall(keyHash(1)).seen(0)).toBeUndefined()
})

it('remembers the thousand keys that came last', () => {
  const recent = new RecentKeys()
  for (let number = 0; number < 1_000; number += 1) recent.recall(keyHash(number)).see(0, apiKeyRecord({}), now)
  // The first comes again, and a new one takes the place of the second.
  recent.recall(keyHash(0))
  recent.recall(keyHash(1_000)).see(0, apiKeyRecord({}), now)
  // To ask for the second would push another out, so it is asked for last.
  expect([0, 2, 1_000, 1].map((number) => recent.recall(keyHash(number)).seen(0) !== undefined)).toEqual([
    true,
    true,
    true,
    false,
  ])
})
