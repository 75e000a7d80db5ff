import { expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { RecentRecords } from '../../../../shared/rate-limit/recent-records.ts'
import { apiKeyRecord } from '../api-keys/records.ts'

const keyHash = (number: number) => hashApiKey(`key ${number}`)

it('remembers what it saw last of a key', () => {
  const recent = new RecentRecords()
  recent.remember(keyHash(1), apiKeyRecord({ minuteCount: 1 }))
  recent.remember(keyHash(1), apiKeyRecord({ minuteCount: 2 }))
  expect(recent.recall(keyHash(1))?.minuteCount).toBe(2)
  expect(recent.recall(keyHash(2))).toBeUndefined()
})

it('remembers the thousand keys that came last', () => {
  const recent = new RecentRecords()
  for (let number = 0; number < 1_000; number += 1) recent.remember(keyHash(number), apiKeyRecord({}))
  recent.remember(keyHash(0), apiKeyRecord({}))
  recent.remember(keyHash(1_000), apiKeyRecord({}))
  expect([0, 1, 2, 1_000].map((number) => recent.recall(keyHash(number)) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ])
})
