import { expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { KeyMemory, maximumKeys } from '../../../../shared/rate-limit/key-memory.ts'

const keys = Array.from({ length: maximumKeys + 1 }, (_, index) => hashApiKey(`key ${index}`))
const [first = hashApiKey(''), second = hashApiKey('')] = keys

it('remembers what it was told last of a key, until its time, or until it is told to forget', () => {
  const memory = new KeyMemory<string>()
  memory.remember(first, 'banned', 2_000)
  memory.remember(first, 'banned again', 4_000)
  expect([3_999, 4_000].map((now) => memory.recall(first, now))).toEqual(['banned again', undefined])
  expect(memory.recall(second, 0)).toBeUndefined()
  memory.forget(first)
  expect(memory.recall(first, 0)).toBeUndefined()
})

it('remembers so many keys, and forgets the one that it was told of first', () => {
  const memory = new KeyMemory<string>()
  for (const key of [...keys.slice(0, -1), first]) memory.remember(key, 'banned', 1)
  expect(keys.filter((key) => memory.recall(key, 0) === undefined)).toEqual(keys.slice(-1))
  for (const key of keys.slice(-1)) memory.remember(key, 'banned', 1)
  expect(keys.filter((key) => memory.recall(key, 0) === undefined)).toEqual([second])
})
