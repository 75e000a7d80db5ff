import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bella, expectRefused, hostileCaller } from './caller.ts'

const { get, post, newest } = hostileCaller()

const nothingLikeIt = 'The body has a key that is not allowed.'

describe('A name that JavaScript gives a meaning to', () => {
  test.each([
    ['{"__proto__":{"status":"sold"},"name":"Bella","categoryId":1}', nothingLikeIt],
    ['{"__pro\\u0074o__":{"status":"sold"},"name":"Bella","categoryId":1}', nothingLikeIt],
    ['{"constructor":{"prototype":{"status":"sold"}},"name":"Bella","categoryId":1}', nothingLikeIt],
    ['{"constructor":1,"name":"Bella","categoryId":1}', 'constructor is not a field of the body.'],
    ['{"toString":1,"name":"Bella","categoryId":1}', 'toString is not a field of the body.'],
    ['{"hasOwnProperty":1,"name":"Bella","categoryId":1}', 'hasOwnProperty is not a field of the body.'],
  ])('is refused in a body: %s', (body, message) => expectRefused(post(body), 400, 'invalid_body', message))

  test.each(['__proto__', 'constructor', 'toString', '__proto__[status]', 'hasOwnProperty'])(
    'is refused in a query: %s',
    (name) => expectRefused(get(`/pets?${name}=1`), 400, 'invalid_parameter', `${name} is not a query parameter`),
  )

  test('is a header like any other, and changes nothing', async () => {
    const { status } = await get('/pets?limit=1', ['__proto__', 'x'], ['constructor', 'y'])
    expect(status).toBe(200)
    const { json: pet } = await post(bella)
    expect(Object.keys(pet).toSorted()).toEqual(['categoryId', 'id', 'name', 'status'])
  })
})

describe('A body', () => {
  test.each([
    ['8,000 arrays in a field', `{"name":${'['.repeat(8_000)}${']'.repeat(8_000)},"categoryId":1}`, 'invalid_body'],
    ['8,000 arrays without end', '['.repeat(8_000), 'invalid_body'],
    ['1,500 fields', `{${Array.from({ length: 1_500 }, (_, index) => `"${index}":0`).join()}}`, 'invalid_body'],
    ['16,000 characters of name', `{"name":"${'a'.repeat(16_000)}","categoryId":1}`, 'invalid_body'],
    ['16,000 spaces as name', `{"name":"${' '.repeat(16_000)}","categoryId":1}`, 'invalid_body'],
    ['a field of 16,000 characters that nobody knows', `{"${'a'.repeat(16_000)}":1}`, 'invalid_body'],
    ['a byte order mark', `\ufeff${bella}`, 'malformed_json'],
    ['a NUL as it is', '{"name":"a\0b","categoryId":1}', 'malformed_json'],
    ['a compressed body', gzipSync(bella), 'malformed_json'],
    ['UTF-16', Buffer.from(bella, 'utf16le'), 'malformed_json'],
  ])('is refused that has %s', async (_what, body, code) => {
    const response = await post(body)
    expect([response.status, response.json['code']]).toEqual([400, code])
    expect(String(response.json['message']).length).toBeLessThan(300)
  })

  test.each([
    ['a byte more than 16 KB', bella + ' '.repeat(16_385 - bella.length)],
    ['8,193 characters of two bytes', 'é'.repeat(8_193)],
    ['a megabyte of name', `{"name":"${'a'.repeat(1_000_000)}","categoryId":1}`],
    ['5.8 MB of numbers', `{"name":[1${',1'.repeat(2_900_000)}],"categoryId":1}`],
  ])('is refused for its length that has %s', (_what, body) =>
    expectRefused(post(body), 413, 'request_too_large', 'Send a body of at most 16 KB (16,384 bytes).'),
  )

  test('of 16 KB is read', async () => {
    expect((await post(bella + ' '.repeat(16_384 - bella.length))).status).toBe(201)
  })

  test.each([
    '{"name":"Bella","name":"Milo","categoryId":1}',
    '{"name":"Bella","n\\u0061me":"Bella","categoryId":1}',
    '{"name":{"a":1},"name":"Bella","categoryId":1}',
    '{"status":"sold","name":"Bella","categoryId":1,"status":"available"}',
  ])('is refused that has a field twice, whichever was meant: %s', async (body) => {
    const before = await newest()
    await expectRefused(post(body), 400, 'invalid_body', 'The body has a field twice.')
    expect(await newest()).toEqual(before)
  })

  test.each([
    ['half a pair', '\\ud83d'],
    ['the halves the wrong way round', '\\udc15\\ud83d'],
  ])('is refused whose name has %s of a surrogate pair', (_what, name) =>
    expectRefused(post(`{"name":"${name}","categoryId":1}`), 400, 'invalid_body', 'name must be a string'),
  )

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

  test.each([
    ['a NUL', 'a\0b'],
    ['controls', 'a\r\n\t\u001b[31m'],
    ['text that runs the other way', '\u202ealleB'],
    ['what a page would run', '<script>alert(1)</script>'],
    ['what a database would run', "'; DROP TABLE pets; --"],
    ['what SQL, DynamoDB and a shell read', '#status = :status AND $(id) `id`'],
    ['an emoji of many parts', '👨‍👩‍👧‍👦'],
    ['combining marks', `e${'\u0301'.repeat(254)}`],
  ])('may name a pet with %s, which is kept as it is', async (_what, name) => {
    const { status, json: pet } = await post(JSON.stringify({ name, categoryId: 1 }))
    expect([status, pet['name']]).toEqual([201, name])
    expect((await get(`/pets/${pet['id']}`)).json).toEqual(pet)
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

  test.each([
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json;CHARSET="windows-1252"',
    'text/plain',
    'application/jsonp',
    'application/json, text/plain',
    'multipart/form-data; boundary=x',
  ])('is refused whose type would have it read in another way: %s', (type) =>
    expectRefused(post(bella, ['Content-Type', type]), 415, 'unsupported_media_type', 'Send the body as JSON'),
  )

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=us-ascii',
  ])('is read whose type says what it is: %s', async (type) =>
    expect((await post(bella, ['Content-Type', type])).status).toBe(201),
  )
})

describe('A number', () => {
  const inCategory = (literal: string) => post(`{"name":"Bella","categoryId":${literal}}`)

  test.each([
    ['-0', 0],
    ['-0.0e5', 0],
    ['1.0', 1],
    ['1E2', 100],
    ['100e-2', 1],
    [`1${'0'.repeat(16_000)}e-16000`, 1],
    [`0.${'0'.repeat(16_000)}`, 0],
  ])('is the integer that it means: %.20s', async (literal, expected) => {
    const { status, json: pet } = await inCategory(literal)
    expect([status, pet['categoryId']]).toEqual([201, expected])
  })

  test.each([
    ['1e400'],
    ['-1e400'],
    ['1e-400'],
    ['1e99999999999999999999'],
    ['1e-99999999999999999999'],
    ['9'.repeat(16_000)],
    [`1.${'0'.repeat(16_000)}1`],
    ['9223372036854775808'],
    ['-9223372036854775809'],
  ])('is refused that is no int64: %.25s', (literal) =>
    expectRefused(inCategory(literal), 400, 'invalid_body', 'categoryId must be an integer from -9223372036854775808'),
  )

  test.each(['01', '+1', '.5', '1.', '0x10', '1_000', '1n', 'NaN', 'Infinity', '-', '١'])(
    'is refused that is none in JSON: %s',
    (literal) => expectRefused(inCategory(literal), 400, 'malformed_json', 'The body is not valid JSON.'),
  )
})
