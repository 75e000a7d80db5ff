import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOutJson, readJsonTokens } from '../../../../infra/reference/page/json-text.ts'

test('JSON is laid out as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(layOutJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
    }),
  )
})

test('Numbers stay the text that they are', () => {
  expect(layOutJson('{"a":9223372036854775807,"b":[1.0,-1e3]}')).toBe(
    '{\n  "a": 9223372036854775807,\n  "b": [\n    1.0,\n    -1e3\n  ]\n}',
  )
})

test.each(['', 'no JSON', '{"a":', "curl -d '{}'"])('Text that is not JSON stays as it is: %j', (text) => {
  expect(layOutJson(text)).toBe(text)
  expect(readJsonTokens(text)).toBeUndefined()
})

test('The tokens make up the whole text', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(
        readJsonTokens(text)
          ?.map((token) => token.text)
          .join(''),
      ).toBe(text)
    }),
  )
})
