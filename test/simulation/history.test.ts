import { expect, it } from 'vitest'
import { TestHistory } from './test-history.ts'

/** Returns the digest of a history with one event. */
const digest = (subject: string, text: string): string => {
  const history = new TestHistory()
  history.note(subject, text)
  return history.digest
}

it('histories with the same events have the same digest, wherever their files are', () => {
  const texts = [
    'Error: /tmp/pet-adoption-import-Ab12xY/import-1/pets.jsonl is no file.\n    at read (/tmp/pet.ts:1:2)\n    at Array.map',
    'Error: /var/folders/x/pet-adoption-import-9zZ9zZ/import-1/pets.jsonl is no file.\n    at read (/home/pet.ts:3:4)',
  ]

  const [first, second] = texts.map((text) => digest('importer', text))

  expect(second).toBe(first)
})

it.each([
  { subject: 'key 1', text: 'GET /v1/pets -> 200' },
  { subject: 'key 2', text: 'GET /v1/pets -> 201' },
])('a history with the event "$text" of $subject has a digest of its own', ({ subject, text }) => {
  expect(digest(subject, text)).not.toBe(digest('key 2', 'GET /v1/pets -> 200'))
})
