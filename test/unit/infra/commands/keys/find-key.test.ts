import { expect, it } from 'vitest'
import { findKey } from '../../../../../infra/commands/keys/find-key.ts'
import { formatApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { getDynalite } from '../../../../fixtures/database/engines.ts'
import { openService } from '../../../../fixtures/service/service.ts'

const random = 'x'.repeat(32)
const unknownKey = formatApiKey('pet_live_', random)

it.each([
  { text: 'key_0mhz', sentence: 'No API key of production has the id key_0mhz. "list" shows the ids' },
  { text: unknownKey, sentence: 'The table of production does not have this API key.' },
  { text: `${unknownKey.slice(0, -1)}~`, sentence: 'This API key is mistyped or cut off' },
  {
    text: formatApiKey('pet_test_', random),
    sentence: 'This is a key of another environment: those of production begin with pet_live_.',
  },
  { text: random, sentence: 'This is neither an API key, which would begin with pet_live_, nor the id of one.' },
])('a search that finds no key says "$sentence"', async ({ text, sentence }) => {
  const { client, tables } = await openService(getDynalite())

  const error = await findKey({ name: 'production', database: client, tables }, text).catch(String)

  expect(error).toContain(sentence)
  expect(error).not.toContain(random)
})
