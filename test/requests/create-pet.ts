import { gzipSync } from 'node:zlib'
import { createPet as contract } from '../../shared/contract/generated/create-pet.ts'
import { maximumBodyBytes } from '../../shared/http/request/body.ts'
import type { Scenario, Step } from './scenario.ts'

const bella = { name: 'Bella', categoryId: 1 }
const milo = { name: 'Milo', categoryId: 1 }

const nameMessage = 'name must be a string of 1 to 255 characters, not only spaces, and without U+0000 and U+FFFD.'
const surrogateMessage = 'name has half of a surrogate pair. Send well-formed Unicode.'
const categoryMessage = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.'
const statusMessage = 'status must be one of available, pending, sold.'
const keyMessage = 'The body has a key that is not allowed.'
const objectMessage = 'The body must be a JSON object with name and categoryId.'
const missingBodyMessage = 'A body is required. Send a JSON object with name and categoryId.'

/** List of the fields of a new pet, such as "name, categoryId and status". */
const fieldList = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(Object.keys(contract.kinds.body))

const formatUnknownField = (field: string): string => `${field} is not a field of the body. It has ${fieldList}.`

/** Names that the property in test/e2e/requests.test.ts rarely or never draws. */
const validNames = [
  ' Bella ',
  'tab\tand\nline',
  'quote"back\\slash',
  '🐶'.repeat(255),
  'a'.repeat(255),
  // Signs that structure JSON, as many as a name can have: in text they structure nothing.
  '[{,\\"'.repeat(51),
]

/** Fields of a body that take text, by the contract: enumerations too. */
const textFields = Object.entries(contract.kinds.body).flatMap(([field, kind]) => (kind === 'text' ? field : []))

/** Bodies of valid JSON that are refused, with the whole message of the error. */
const invalidBodies: readonly { readonly body: string; readonly message: string }[] = [
  { body: '{"categoryId":1}', message: 'name is required.' },
  { body: '{"name":"Bella"}', message: 'categoryId is required.' },

  { body: '{"name":"","categoryId":1}', message: nameMessage },
  { body: '{"name":" \\t\\n\\u00a0","categoryId":1}', message: nameMessage },
  { body: '{"name":"a\\u0000b","categoryId":1}', message: nameMessage },
  { body: '{"name":"Zo\\ufffd","categoryId":1}', message: nameMessage },
  { body: `{"name":"${'a'.repeat(256)}","categoryId":1}`, message: nameMessage },
  { body: '{"name":"\\ud800","categoryId":1}', message: surrogateMessage },
  // Both halves, in the wrong order.
  { body: '{"name":"Bella \\udc36\\ud83d","categoryId":1}', message: surrogateMessage },

  { body: '{"name":"Bella","categoryId":"1"}', message: categoryMessage },
  { body: '{"name":"Bella","categoryId":1.5}', message: categoryMessage },
  { body: '{"name":"Bella","categoryId":9223372036854775808}', message: categoryMessage },

  { body: '{"name":"Bella","categoryId":1,"status":"lost"}', message: statusMessage },

  { body: '{"name":"Bella","categoryId":1,"unknownField":"red"}', message: formatUnknownField('unknownField') },
  { body: '{"name":"Bella","categoryId":1,"__proto__":{"status":"sold"}}', message: keyMessage },
  { body: '{"name":"Bella","categoryId":1,"constructor":{"prototype":{}}}', message: keyMessage },
  { body: '{"__pro\\u0074o__":{"status":"sold"},"name":"Bella","categoryId":1}', message: keyMessage },
  {
    // The name is cut after 64 UTF-16 units, in the middle of the dog.
    body: `{"${'x'.repeat(63)}🐕y":1,"name":"Bella","categoryId":1}`,
    message: formatUnknownField(`${'x'.repeat(63)}\ufffd...`),
  },

  // Almost 16 KB, so that the body is read: its number or its array is refused, and not its length.
  { body: `{"name":"Bella","categoryId":${'9'.repeat(16_000)}}`, message: categoryMessage },
  { body: `{"name":"Bella","categoryId":[0${',1'.repeat(8_000)}]}`, message: categoryMessage },

  { body: 'null', message: missingBodyMessage },
  { body: '[]', message: objectMessage },
  { body: '"Bella"', message: objectMessage },
  { body: '5', message: objectMessage },
]

const malformedBodies: readonly { readonly problem: string; readonly body: string | Uint8Array }[] = [
  { problem: 'an open brace', body: '{' },
  // V8 reads some 2,300 nested arrays with the stack of a process, so 8,000 overflow it.
  { problem: 'arrays that are too deep', body: '['.repeat(8_000) + ']'.repeat(8_000) },
  { problem: 'a byte order mark', body: '\ufeff{"name":"Bella","categoryId":1}' },
  { problem: 'compressed JSON', body: Uint8Array.from(gzipSync(JSON.stringify(bella))) },
  { problem: 'JSON as UTF-16', body: Uint8Array.from(Buffer.from(JSON.stringify(bella), 'utf16le')) },
]

/** A body whose name has bytes 0xff and 0xc0, which are not UTF-8, around an A. */
const invalidUtf8 = Uint8Array.from([
  ...Buffer.from('{"name":"'),
  0xff,
  0x41,
  0xc0,
  ...Buffer.from('","categoryId":1}'),
])

const refusedTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'x-application/json',
  'application/json; charset=latin1',
  'application/json; charset=utf-8859',
]

const acceptedTypes = [
  'application/json; charset=utf-8',
  'application/json ; charset="utf8"',
  'APPLICATION/JSON',
  'application/json;charset=us-ascii; profile=charset=latin1',
  'application/merge-patch+json',
]

/** Creates a step in which a body is refused because of its content type. */
const createRefusedTypeStep = (type: string, body: unknown): Step => ({
  send: 'POST /pets',
  headers: { 'Content-Type': type },
  body,
  status: 415,
})

/** Creates a step without a body, whose error names what a body needs. */
const createMissingBodyStep = (headers: Readonly<Record<string, string>>): Step => ({
  send: 'POST /pets',
  headers,
  status: 400,
  responseBody: { code: 'invalid_body', message: missingBodyMessage, status: 400 },
})

/** Request to add a pet with the Idempotency-Key of the scenario. `Step` describes placeholders such as `{unique}`. */
const keyedRequest = { send: 'POST /pets', headers: { 'Idempotency-Key': '{unique}' } } as const satisfies Partial<Step>

const replayed = {
  status: 201,
  responseText: '{first}',
  responseHeaders: { 'Idempotency-Replayed': 'true' },
} as const satisfies Partial<Step>

const notReplayed = {
  status: 201,
  responseHeaders: { 'Idempotency-Replayed': null },
} as const satisfies Partial<Step>

const keyReused = { status: 422, code: 'idempotency_key_reused' } as const satisfies Partial<Step>

export const createPet: readonly Scenario[] = [
  {
    title: 'an added pet is found under its id',
    steps: [
      {
        send: 'POST /pets',
        body: { ...bella, status: 'pending' },
        status: 201,
        responseBody: { ...bella, status: 'pending' },
      },
      { send: 'GET /pets/{id}', status: 200, responseText: '{first}' },
    ],
  },
  {
    title: 'a pet without a status is available',
    steps: [{ send: 'POST /pets', body: bella, status: 201, responseBody: { status: 'available' } }],
  },
  {
    title: 'the last value of a field that is sent twice counts',
    steps: [
      {
        send: 'POST /pets',
        body: '{"name":"Bella","categoryId":1,"name":"Milo","categoryId":9007199254740993}',
        status: 201,
        responseContains: '"name":"Milo","categoryId":9007199254740993',
      },
    ],
  },
  ...validNames.map((name) => ({
    title: `the name ${JSON.stringify(name).slice(0, 40)} is kept as it was sent`,
    steps: [
      { send: 'POST /pets', body: { name, categoryId: 1 }, status: 201, responseBody: { name } },
      { send: 'GET /pets/{id}', status: 200, responseBody: { name } },
    ],
  })),

  ...invalidBodies.map(({ body, message }) => ({
    title: `the body ${body.slice(0, 60)} is 400`,
    steps: [{ send: 'POST /pets', body, status: 400, responseBody: { code: 'invalid_body', message, status: 400 } }],
  })),
  ...textFields.map((field) => ({
    title: `half of a surrogate pair as the ${field} is 400`,
    steps: [{ send: 'POST /pets', body: { ...bella, [field]: 'A\ud83d' }, status: 400, code: 'invalid_body' }],
  })),
  ...malformedBodies.map(({ problem, body }) => ({
    title: `a body of invalid JSON is 400: ${problem}`,
    steps: [{ send: 'POST /pets', body, status: 400, code: 'malformed_json' }],
  })),
  {
    // API Gateway replaces such bytes by U+FFFD before the function sees them.
    title: 'bytes that are not UTF-8 are refused',
    steps: [{ send: 'POST /pets', body: invalidUtf8, status: 400, responseBody: { message: nameMessage } }],
  },
  {
    title: 'a missing body is 400, whatever its Content-Type',
    steps: [
      createMissingBodyStep({}),
      createMissingBodyStep({ 'Content-Type': 'application/json' }),
      createMissingBodyStep({ 'Content-Type': 'text/plain' }),
    ],
  },
  {
    title: 'a body of 16 KB is read',
    steps: [{ send: 'POST /pets', body: JSON.stringify(bella).padEnd(maximumBodyBytes), status: 201 }],
  },
  {
    title: 'a body longer than 16 KB is 413',
    steps: [
      {
        send: 'POST /pets',
        body: JSON.stringify(bella).padEnd(maximumBodyBytes + 1),
        status: 413,
        messageContains: '16 KB (16,384 bytes)',
      },
      // 16,386 bytes in 8,194 characters: the limit is one of bytes.
      { send: 'POST /pets', body: `"${'é'.repeat(maximumBodyBytes / 2)}"`, status: 413 },
      {
        send: 'POST /pets',
        headers: { 'Content-Type': 'text/plain' },
        body: ' '.repeat(maximumBodyBytes + 1),
        status: 413,
      },
    ],
  },
  ...refusedTypes.map((type) => ({
    title: `a body that is declared as ${type} is 415, also if it is not JSON`,
    steps: [createRefusedTypeStep(type, bella), createRefusedTypeStep(type, '{')],
  })),
  ...acceptedTypes.map((type) => ({
    title: `a body that is declared as ${type} is read`,
    steps: [{ send: 'POST /pets', headers: { 'Content-Type': type }, body: bella, status: 201 }],
  })),
  {
    title: 'a query parameter is 400, because the operation takes none',
    steps: [{ send: 'POST /pets?limit=5', body: bella, status: 400, code: 'invalid_parameter' }],
  },

  {
    title: 'a retry with the same Idempotency-Key and body gets the first response again',
    steps: [
      { ...keyedRequest, body: bella, ...notReplayed },
      { ...keyedRequest, body: { categoryId: 1, name: 'Bella', status: 'available' }, ...replayed },
      { ...keyedRequest, body: bella, ...replayed },
    ],
  },
  {
    title: 'the same Idempotency-Key with another body is 422',
    steps: [
      { ...keyedRequest, body: bella, status: 201 },
      { ...keyedRequest, body: { ...bella, name: 'Milo' }, ...keyReused },
      { ...keyedRequest, body: { ...bella, categoryId: 2 }, ...keyReused },
      { ...keyedRequest, body: { ...bella, status: 'sold' }, ...keyReused },
    ],
  },
  {
    title: 'an Idempotency-Key belongs to its API key alone',
    steps: [
      { ...keyedRequest, body: bella, status: 201 },
      { ...keyedRequest, key: 'other', body: milo, responseBody: milo, ...notReplayed },
      { ...keyedRequest, body: bella, ...replayed },
    ],
  },
  ...['', 'a'.repeat(256), 'é'].map((idempotencyKey) => ({
    title: `the Idempotency-Key "${idempotencyKey}" is 400`,
    steps: [
      {
        send: 'POST /pets',
        headers: { 'Idempotency-Key': idempotencyKey },
        body: bella,
        status: 400,
        code: 'invalid_header',
        messageContains: 'Idempotency-Key must be a string of 1 to 255 characters, all of them printable ASCII.',
      },
    ],
  })),
  {
    title: 'a read-only key may list and find pets, but not add one',
    steps: [
      { send: 'POST /pets', body: bella, status: 201 },
      { send: 'GET /pets?limit=1', key: 'reader', status: 200 },
      { send: 'GET /pets/{id}', key: 'reader', status: 200, responseText: '{first}' },
      { send: 'POST /pets', key: 'reader', body: '{', status: 403, code: 'insufficient_scope' },
    ],
  },
]
