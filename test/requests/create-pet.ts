import { gzipSync } from 'node:zlib'
import { createPet as contract } from '../../shared/contract/generated/create-pet.ts'
import { maximumBodyBytes } from '../../shared/http/json-body.ts'
import { type Scenario, type Step, scenario } from './scenario.ts'

const post = (body: unknown, rest: Omit<Step, 'send' | 'body'>): Step => ({ send: 'POST /pets', body, ...rest })
const bella = { name: 'Bella', categoryId: 1 }
const milo = { name: 'Milo', categoryId: 1 }

/** A creation under the Idempotency-Key of the scenario. */
const once = (body: unknown, rest: Omit<Step, 'send' | 'body'>): Step =>
  post(body, { headers: { 'Idempotency-Key': '{unique}' }, ...rest })

const name = 'name must be a string of 1 to 255 characters, not only spaces.'
const category = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.'
const status = 'status must be one of available, pending, sold.'
const fields = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(contract.fields.body)
const unknown = (field: string) => `${field} is not a field of the body. It has ${fields}.`

/** Bodies that are refused, and the message that says why. */
const invalid: readonly (readonly [body: string, message: string])[] = [
  ['{"categoryId":1}', 'name is required.'],
  ['{"name":"Bella"}', 'categoryId is required.'],
  ['{"name":"","categoryId":1}', name],
  ['{"name":" \\t\\n\\u00a0","categoryId":1}', name],
  [`{"name":"${'a'.repeat(256)}","categoryId":1}`, name],
  ['{"name":"\\ud800","categoryId":1}', name],
  ['{"name":"Bella","categoryId":"1"}', category],
  ['{"name":"Bella","categoryId":1.5}', category],
  ['{"name":"Bella","categoryId":9223372036854775808}', category],
  ['{"name":"Bella","categoryId":1,"status":"lost"}', status],
  ['{"name":"Bella","categoryId":1,"colour":"red"}', unknown('colour')],
  ['{"name":"Bella","name":"Milo","categoryId":1}', 'The body has a field twice. Send each field once.'],
  ['{"name":"Bella","categoryId":1,"__proto__":{"status":"sold"}}', 'The body has a key that is not allowed.'],
  ['{"name":"Bella","categoryId":1,"constructor":{"prototype":{}}}', 'The body has a key that is not allowed.'],
  ['{"__pro\\u0074o__":{"status":"sold"},"name":"Bella","categoryId":1}', 'The body has a key that is not allowed.'],
  ['{"\\ud800":1,"name":"Bella","categoryId":1}', unknown('\ufffd')],
  [`{"${'x'.repeat(63)}🐕y":1,"name":"Bella","categoryId":1}`, unknown(`${'x'.repeat(63)}\ufffd...`)],
  [`{"name":"Bella","categoryId":${'9'.repeat(16_000)}}`, category],
  ['null', 'A body is required. Send a JSON object.'],
  ...['[]', '"Bella"', '5'].map((body) => [body, 'The body must be a JSON object.'] as const),
  ...['['.repeat(8_000), `{"name":"Bella","categoryId":1${',"x":1'.repeat(100)}}`].map(
    (body) => [body, 'The body has more than 100 values. Send only the fields that the operation takes.'] as const,
  ),
]
const malformed: Readonly<Record<string, string | Uint8Array>> = {
  'an open brace': '{',
  'a byte order mark': '\ufeff{"name":"Bella","categoryId":1}',
  'compressed JSON': Uint8Array.from(gzipSync(JSON.stringify(bella))),
  'JSON as UTF-16': Uint8Array.from(Buffer.from(JSON.stringify(bella), 'utf16le')),
}
const names = [
  ...[' Bella ', 'é', '犬', 'tab\tand\nline', 'quote"back\\slash', 'nul\u0000'],
  ...['🐶'.repeat(255), 'a'.repeat(255)],
  // As many commas and brackets as a name has room for.
  '[{,\\"'.repeat(51),
]
const replayed = { status: 201, text: '{first}', with: { 'Idempotency-Replayed': 'true' } } as const
const int64s = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1']

const types = {
  refused: [
    ...['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'x-application/json'],
    ...['application/json; charset=latin1', 'application/json; charset=utf-8859'],
  ],
  read: [
    ...['application/json; charset=utf-8', 'application/json ; charset="utf8"', 'APPLICATION/JSON'],
    ...['application/json;charset=us-ascii; profile=charset=latin1', 'application/merge-patch+json'],
  ],
}

export const createPet: readonly Scenario[] = [
  scenario(
    'a pet is added, and found under its id',
    post({ ...bella, status: 'pending' }, { status: 201, json: { ...bella, status: 'pending' } }),
    { send: 'GET /pets/{id}', status: 200, text: '{first}' },
  ),
  scenario('a pet without a status is available', post(bella, { status: 201, json: { status: 'available' } })),
  ...int64s.map((categoryId) =>
    scenario(
      `the categoryId ${categoryId} is kept to the digit, from request to table to response`,
      post(`{"name":"Exact","categoryId":${categoryId}}`, { status: 201 }),
      { send: 'GET /pets/{id}', status: 200, text: '{first}', json: { categoryId: Number(categoryId) } },
    ),
  ),
  ...names.map((name) =>
    scenario(
      `the name ${JSON.stringify(name).slice(0, 40)} is kept as it was sent`,
      post({ name, categoryId: 1 }, { status: 201, json: { name } }),
      { send: 'GET /pets/{id}', status: 200, json: { name } },
    ),
  ),
  ...invalid.map(([body, message]) =>
    scenario(
      `the body ${body.slice(0, 60)} is 400`,
      post(body, { status: 400, json: { code: 'invalid_body', message, status: 400 } }),
    ),
  ),
  ...Object.entries(malformed).map(([what, body]) =>
    scenario(`${what}, which is no valid JSON, is 400`, post(body, { status: 400, code: 'malformed_json' })),
  ),
  scenario(
    'bytes that are no UTF-8 become replacement characters, as API Gateway makes them',
    post(Uint8Array.from([...Buffer.from('{"name":"'), 0xff, 0x41, 0xc0, ...Buffer.from('","categoryId":1}')]), {
      ...{ status: 201, json: { name: '\ufffdA\ufffd' } },
    }),
  ),
  scenario('a missing body is 400', {
    ...{ send: 'POST /pets', headers: { 'Content-Type': 'application/json' }, status: 400, code: 'invalid_body' },
    says: 'A body is required. Send a JSON object.',
  }),
  scenario('a body of 16 KB is read', post(JSON.stringify(bella).padEnd(maximumBodyBytes), { status: 201 })),
  scenario(
    'a body of a byte more than 16 KB is 413',
    post(JSON.stringify(bella).padEnd(maximumBodyBytes + 1), { status: 413, says: '16 KB (16,384 bytes)' }),
    post(`"${'é'.repeat(maximumBodyBytes / 2)}"`, { status: 413 }),
    post(' '.repeat(maximumBodyBytes + 1), { headers: { 'Content-Type': 'text/plain' }, status: 413 }),
  ),
  ...types.refused.map((type) =>
    scenario(
      `a body that is declared as ${type} is 415, also where it is not JSON or missing`,
      ...[bella, '{', undefined].map((body) => post(body, { headers: { 'Content-Type': type }, status: 415 })),
    ),
  ),
  ...types.read.map((type) =>
    scenario(
      `a body that is declared as ${type} is read`,
      post(bella, { headers: { 'Content-Type': type }, status: 201 }),
    ),
  ),
  scenario('a query parameter, which the operation does not take, is 400', {
    ...{ send: 'POST /pets?limit=5', body: bella, status: 400, code: 'invalid_parameter' },
  }),
  scenario(
    'a retry with the same Idempotency-Key and body gets the first response, as replayed',
    once(bella, { status: 201, with: { 'Idempotency-Replayed': null } }),
    once({ categoryId: 1, name: 'Bella', status: 'available' }, replayed),
    once(bella, replayed),
  ),
  scenario(
    'the same Idempotency-Key with another body is 422',
    once(bella, { status: 201 }),
    ...[{ name: 'Milo' }, { categoryId: 2 }, { status: 'sold' }].map((other) =>
      once({ ...bella, ...other }, { status: 422, code: 'idempotency_key_reused' }),
    ),
  ),
  scenario(
    'an Idempotency-Key belongs to its API key alone',
    once(bella, { status: 201 }),
    once(milo, { key: 'other', status: 201, json: milo, with: { 'Idempotency-Replayed': null } }),
    once(bella, replayed),
  ),
  ...['', 'a'.repeat(256)].map((key) =>
    scenario(
      `an Idempotency-Key of ${key.length} characters is 400`,
      post(bella, {
        headers: { 'Idempotency-Key': key },
        ...{ status: 400, code: 'invalid_header', says: 'Idempotency-Key must be a string of 1 to 255 characters.' },
      }),
    ),
  ),
  scenario(
    'a key that may only read lists and gets, and creates nothing',
    post(bella, { status: 201 }),
    { send: 'GET /pets?limit=1', key: 'reader', status: 200 },
    { send: 'GET /pets/{id}', key: 'reader', status: 200, text: '{first}' },
    post('{', { key: 'reader', status: 403, code: 'insufficient_scope' }),
  ),
]
