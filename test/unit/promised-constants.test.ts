/**
 * Constants of the sources beside what the documents promise. promised-values.test.ts does the same for the templates.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deployedPerSecond } from '../../infra/operations/pets/change-pets.ts'
import { smokeKeySeconds } from '../../infra/operations/smoke/sweep.ts'
import { maximumPerMinute } from '../../shared/api-keys/plans.ts'
import { listPets } from '../../shared/contract/generated/list-pets.ts'
import { maximumAttemptsPerCall } from '../../shared/dynamodb/bounded-retries.ts'
import { maximumBodyBytes } from '../../shared/http/request/limit-body.ts'

const constants = [
  {
    name: 'bytes of a body',
    constant: maximumBodyBytes,
    value: 16_384,
    promise: 'JSON of at most 16 KB (16,384 bytes)',
  },
  {
    name: 'requests per minute of a key',
    constant: maximumPerMinute,
    value: 30_000,
    promise: 'a key may have at most 30,000 requests per minute',
  },
  {
    name: 'pets that a command changes per second on AWS',
    constant: deployedPerSecond,
    value: 250,
    promise: 'a command changes at most 250 animals per second',
  },
  {
    name: 'seconds that a key of the smoke test lives',
    constant: smokeKeySeconds,
    value: 3_600,
    promise: 'A later run removes them, once they are an hour old.',
  },
  {
    name: 'attempts of a call to DynamoDB',
    constant: maximumAttemptsPerCall,
    value: 3,
    promise: 'each call to DynamoDB is tried up to three times',
  },
]

const documents = ['README.md', 'infra/README.md', 'test/README.md']
const texts = documents.map((path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const joinedTexts = texts.join('\n').replaceAll(/\s+/g, ' ')

describe('the constants of the sources', () => {
  it.each(constants)('the value of $name is $value', ({ constant, value }) => {
    expect(constant).toBe(value)
  })

  it.each(constants)('a document says "$promise"', ({ promise }) => {
    expect(joinedTexts).toContain(promise)
  })
})

it('a list has 20 pets by default and 100 at most, as README.md says', () => {
  expect(listPets.defaults.query).toMatchObject({ limit: 20n })
  expect(listPets.rules['/query/limit']).toBe('an integer from 1 to 100')
  expect(joinedTexts).toContain('`limit` (1 to 100, default 20)')
})
