import { expect } from 'vitest'
import type { Scenario, Step } from './scenario.ts'

/** Each status, with another one. */
const statuses = [
  { status: 'available', otherStatus: 'pending' },
  { status: 'pending', otherStatus: 'sold' },
  { status: 'sold', otherStatus: 'available' },
] as const

const addPet = (name: string, status?: string): Step => ({
  send: 'POST /pets',
  body: { name, categoryId: 1, ...(status !== undefined && { status }) },
  status: 201,
})

/** Steps that add two pets, so that a list of one pet has a next page. */
const addTwoPets = (status?: string): readonly Step[] => [addPet('one', status), addPet('two', status)]

const limitMessage = 'limit must be an integer from 1 to 100.'
const statusMessage = 'status must be one of available, pending, sold.'
const cursorMessage = 'cursor must be a string of 1 to 100 characters.'

const formatUnknownName = (name: string): string =>
  `${name} is not a query parameter of this operation. It takes limit, status and cursor.`

/** Queries that are refused, with a part of the message that says why. */
const invalidQueries: readonly { readonly query: string; readonly message: string }[] = [
  { query: 'limit=0', message: limitMessage },
  { query: 'limit=101', message: limitMessage },
  { query: 'limit=', message: limitMessage },
  { query: 'limit=ten', message: limitMessage },
  { query: 'limit=5&limit=6', message: 'Send limit once.' },

  { query: 'status=unknown', message: statusMessage },
  { query: 'status=Available', message: statusMessage },
  { query: 'status=', message: statusMessage },
  { query: 'status=available&status=sold', message: 'Send status once.' },

  { query: 'unknownName=1', message: formatUnknownName('unknownName') },
  { query: 'unknownName=1&unknownName=2', message: formatUnknownName('unknownName') },
  { query: 'Limit=1', message: formatUnknownName('Limit') },
  { query: '__proto__=1', message: formatUnknownName('__proto__') },
  { query: `${'x'.repeat(64)}=1`, message: formatUnknownName('x'.repeat(64)) },
  { query: `${'x'.repeat(65)}=1`, message: formatUnknownName(`${'x'.repeat(64)}...`) },
  // `scenario.ts` expects that no response has the header X-Injected.
  { query: 'a%0d%0aX-Injected:%20yes%0d%0a%0d%0a=1', message: 'is not a query parameter of this operation.' },

  { query: 'cursor=', message: cursorMessage },
  { query: `cursor=${'a'.repeat(101)}`, message: cursorMessage },
]

/** Cursors that no list gave out. The second one is `before:487912339990112` in base64 with padding, here encoded. */
const invalidCursors = ['x', 'YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg%3D%3D', '%00', '%0d%0aX-Injected:%20yes']

export const listPets: readonly Scenario[] = [
  ...statuses.map(({ status, otherStatus }) => ({
    title: `a list of pets that are ${status} has no others, on its first page or the next`,
    steps: [
      ...addTwoPets(status),
      // The newest pet would be the first of a list with all statuses.
      addPet('other', otherStatus),
      {
        send: `GET /pets?status=${status}&limit=1`,
        mayBeLate: true,
        status: 200,
        responseBody: [{ status }],
        responseHeaders: {
          Link: new RegExp(`^<[^>]+/v1/pets\\?limit=1&status=${status}&cursor=[\\w-]+>; rel="next"$`),
        },
      },
      { send: 'GET {next}', mayBeLate: true, status: 200, responseBody: [{ status }] },
    ],
  })),
  {
    title: 'a list has a new pet to the digit, at most some seconds late',
    steps: [
      { send: 'POST /pets', body: '{"name":"Bella","categoryId":9007199254740993,"status":"sold"}', status: 201 },
      {
        // The scenarios run one after the other, so the pet is among the newest.
        send: 'GET /pets?status=sold&limit=100',
        mayBeLate: true,
        status: 200,
        // A parsed number would be rounded.
        responseContains: '{"id":{id},"name":"Bella","categoryId":9007199254740993,',
      },
    ],
  },
  {
    title: 'a page has 20 pets by default',
    steps: [
      { ...addPet('many'), times: 21 },
      {
        send: 'GET /pets',
        mayBeLate: true,
        status: 200,
        responseBody: Array.from({ length: 20 }, () => ({ id: expect.any(Number) })),
        responseHeaders: { Link: /rel="next"$/ },
      },
    ],
  },
  {
    title: 'headers change neither the list nor the address of the next page',
    steps: [
      ...addTwoPets(),
      {
        send: 'GET /pets?limit=1',
        mayBeLate: true,
        headers: {
          // The brackets make __proto__ a property. Without them it would set the prototype.
          ['__proto__']: 'x',
          constructor: 'x',
          'X-Amzn-Trace-Id': '%0d%0aX-Injected:%20yes',
          'X-Forwarded-Host': 'evil.example',
          Origin: 'x%0d%0a',
        },
        status: 200,
        responseHeaders: {
          Link: /^<https?:\/\/(?!evil)[^>]+\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
        },
      },
    ],
  },
  ...invalidQueries.map(({ query, message }) => ({
    title: `the query ?${query.slice(0, 40)} is 400`,
    steps: [{ send: `GET /pets?${query}`, status: 400, code: 'invalid_parameter', messageContains: message }],
  })),
  ...invalidCursors.map((cursor) => ({
    title: `the cursor ${cursor} is 400`,
    steps: [{ send: `GET /pets?cursor=${cursor}`, status: 400, code: 'invalid_cursor' }],
  })),
]
