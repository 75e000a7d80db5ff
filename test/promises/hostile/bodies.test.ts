import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bella, expectRefused, hostileCaller } from './caller.ts'

const { get, post, newest } = hostileCaller()

test('A header whose name has a meaning in JavaScript changes nothing', async () => {
  const { status } = await get('/pets?limit=1', ['__proto__', 'x'], ['constructor', 'y'])
  expect(status).toBe(200)
  const { json: pet } = await post(bella)
  expect(Object.keys(pet).toSorted()).toEqual(['categoryId', 'id', 'name', 'status'])
})

describe('A body', () => {
  test.each([
    ['an escaped name of the prototype', '{"__pro\\u0074o__":{"status":"sold"},"name":"Bella","categoryId":1}'],
    ['a field that every object has', '{"hasOwnProperty":1,"name":"Bella","categoryId":1}'],
    ['a field twice, once escaped', '{"name":"Bella","n\\u0061me":"Bella","categoryId":1}'],
    ['an unknown field of 16,000 characters', `{"${'a'.repeat(16_000)}":1}`],
    ['a number of 16,000 digits', `{"name":"Bella","categoryId":${'9'.repeat(16_000)}}`],
    ['a byte order mark', `\ufeff${bella}`, 'malformed_json'],
    ['an unescaped NUL', '{"name":"a\0b","categoryId":1}', 'malformed_json'],
    ['compression', gzipSync(bella), 'malformed_json'],
    ['UTF-16', Buffer.from(bella, 'utf16le'), 'malformed_json'],
  ])('with %s is refused in a short message, and adds no pet', async (_what, body, code = 'invalid_body') => {
    const before = await newest()
    const response = await post(body)
    expect([response.status, response.json['code']]).toEqual([400, code])
    expect(String(response.json['message']).length).toBeLessThan(300)
    expect(await newest()).toEqual(before)
  })

  test('of 16 KB is read, and one of a byte more is refused', async () => {
    const padded = (bytes: number) => bella + ' '.repeat(bytes - bella.length)
    expect((await post(padded(16_384))).status).toBe(201)
    await expectRefused(post(padded(16_385)), 413, 'request_too_large', 'Send a body of at most 16 KB (16,384 bytes).')
  })

  test.each([
    ['half a surrogate pair', '{"\\ud800":1,"name":"Bella","categoryId":1}'],
    ['a pair where the message cuts it', `{"${'x'.repeat(63)}🐕y":1,"name":"Bella","categoryId":1}`],
  ])('is refused in well-formed text that has a field with %s', async (_what, body) => {
    const {
      json: { message },
    } = await post(body)
    expect(String(message)).toContain('\ufffd')
    expect(String(message).isWellFormed()).toBe(true)
  })

  test('of bytes that are no UTF-8 has a replacement character for each, as API Gateway makes it', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"name":"'),
      Buffer.of(0xff, 0x41, 0xc0, 0xaf),
      Buffer.from('","categoryId":1}'),
    ])
    const { status, json: pet } = await post(bytes)
    expect([status, pet['name']]).toEqual([201, '\ufffdA\ufffd\ufffd'])
  })
})
