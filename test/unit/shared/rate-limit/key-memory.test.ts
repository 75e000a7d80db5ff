import { expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { KeyMemory, maximumKeys } from '../../../../shared/rate-limit/key-memory.ts'

const keys = Array.from({ length: maximumKeys + 1 }, (_, index) => hashApiKey(`key ${index}`))
const [first = hashApiKey(''), second = hashApiKey(''), third = hashApiKey('')] = keys

it('remembers a key until its time', () => {
  const memory = new KeyMemory<string>()
  memory.remember(first, 'banned', 2_000)
  expect(memory.recall(first, 1_999)).toBe('banned')
  expect(memory.recall(first, 2_000)).toBeUndefined()
  expect(memory.recall(second, 0)).toBeUndefined()
})

it('remembers what it was told last, until it is told to forget', () => {
  const memory = new KeyMemory<string>()
  memory.remember(first, 'banned', 2_000)
  memory.remember(first, 'banned again', 4_000)
  expect(memory.recall(first, 3_000)).toBe('banned again')
  memory.forget(first)
  expect(memory.recall(first, 3_000)).toBeUndefined()
})

it('remembers so many keys, and forgets the one that it was told of first', () => {
  const memory = new KeyMemory<string>()
  for (const key of keys.slice(0, -1)) memory.remember(key, 'banned', 1)
  memory.remember(first, 'banned', 1)
  expect(keys.filter((key) => memory.recall(key, 0) === undefined)).toEqual(keys.slice(-1))
  memory.remember(keys.at(-1) ?? third, 'banned', 1)
  expect(keys.filter((key) => memory.recall(key, 0) === undefined)).toEqual([second])
})
