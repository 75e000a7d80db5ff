import type { Scenario } from './scenario.ts'

const statuses = ['available', 'pending', 'sold']

/** Queries that are refused, and what the message names. */
const invalid: readonly (readonly [query: string, says: string])[] = [
  ...['0', '101', '-1', '1.5', '1e1', '0x10', '%20', '', 'ten', '9007199254740993', '99999999999999999999'].map(
    (limit) => [`limit=${limit}`, 'limit'] as const,
  ),
  ['limit=5&limit=6', 'limit'],
  ['limit=5&limit=5', 'limit'],
  ['status=unknown', 'status'],
  ['status=Available', 'status'],
  ['status=', 'status'],
  ['status=available&status=sold', 'status'],
  ['colour=red', 'colour'],
  ['page=2', 'page'],
  ['__proto__=1', '__proto__'],
  ['constructor=1', 'constructor'],
  ['cursor=', 'cursor'],
  [`cursor=${'a'.repeat(101)}`, 'cursor'],
]

export const listPets: readonly Scenario[] = [
  ...statuses.map((status) => ({
    title: `a list of pets that are ${status} has no others, and its next page goes on after the last`,
    steps: [
      ...['one', 'two'].map((name) => ({ send: 'POST /pets', body: { name, categoryId: 1, status }, status: 201 })),
      {
        send: `GET /pets?status=${status}&limit=1`,
        status: 200,
        json: [{ status }],
        with: { Link: new RegExp(`^<[^>]+/v1/pets\\?limit=1&status=${status}&cursor=[\\w-]+>; rel="next"$`) },
      },
      { send: 'GET {next}', status: 200, json: [{ status }] },
    ],
  })),
  ...[1, 2, 99, 100].map((limit) => ({
    title: `a page of ${limit} is one`,
    steps: [
      { send: 'POST /pets', body: { name: 'Listed', categoryId: 1 }, status: 201 },
      { send: `GET /pets?limit=${limit}`, status: 200, atMost: limit },
    ],
  })),
  ...invalid.map(([query, says]) => ({
    title: `?${query.slice(0, 40)} is 400`,
    steps: [{ send: `GET /pets?${query}`, status: 400, code: 'invalid_parameter', says }],
  })),
  ...['x', 'YmVmb3JlOg', 'bm90aGluZw', 'YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg%3D%3D', '%00', '%F0%9F%90%B6'].map((cursor) => ({
    title: `the cursor ${cursor} is 400`,
    steps: [{ send: `GET /pets?cursor=${cursor}`, status: 400, code: 'invalid_cursor' }],
  })),
]
