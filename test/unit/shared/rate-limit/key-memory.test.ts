import { expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { KeyMemory } from '../../../../shared/rate-limit/key-memory.ts'

const first = hashApiKey('the first key')
const second = hashApiKey('the second key')
const last = hashApiKey('the last key')

/** The keys that fill a memory, which has room for 1,000, together with the first and the second key. */
const others = Array.from({ length: 998 }, (_, index) => hashApiKey(`key ${index}`))

const fillMemory = (): KeyMemory<string> => {
  const memory = new KeyMemory<string>()
  for (const key of [first, second, ...others]) memory.remember(key, 'banned', 1)
  return memory
}

it('a memory recalls the latest value of a key until its time', () => {
  const memory = new KeyMemory<string>()
  memory.remember(first, 'banned', 2_000)
  memory.remember(first, 'banned again', 4_000)

  expect(memory.recall(first, 3_999)).toBe('banned again')
  expect(memory.recall(first, 4_000)).toBeUndefined()
  expect(memory.recall(second, 0)).toBeUndefined()
})

it('a full memory forgets the oldest key for a new one', () => {
  const memory = fillMemory()
  expect(memory.recall(first, 0)).toBe('banned')

  memory.remember(last, 'banned', 1)

  expect(memory.recall(first, 0)).toBeUndefined()
  for (const key of [second, ...others, last]) expect(memory.recall(key, 0)).toBe('banned')
})

it('a key that is remembered again becomes the newest', () => {
  const memory = fillMemory()
  memory.remember(first, 'banned', 1)
  expect(memory.recall(second, 0)).toBe('banned')

  memory.remember(last, 'banned', 1)

  expect(memory.recall(second, 0)).toBeUndefined()
  for (const key of [first, ...others, last]) expect(memory.recall(key, 0)).toBe('banned')
})
