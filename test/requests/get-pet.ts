import type { Scenario } from './scenario.ts'

const deprecationHeaders = {
  // 5 December 2025, in Unix seconds.
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: /^<[^>]*\/v1\/pets>; rel="successor-version"$/,
}

/** Ids under which there is no pet, as they stand in the path. */
const unknownIds = [
  '1',
  // The end of the int64 range, and the integer beyond it. exact-json.test.ts has all forms of integers.
  '9223372036854775807',
  '9223372036854775808',
  // Numbers with a sign that no id has.
  '+1',
  '%2B1',
  // Text.
  '__proto__',
  '%20',
  '%00',
  '%F0%9F%90%B6',
  // Digits that are encoded twice, or not ASCII.
  '%253409',
  '%D9%A5',
  // Text that would leave the path, or break out of a link or a header.
  '..%2F5',
  '5%2F6',
  '%3E%2Fa',
  '1%0d%0aX-Injected:%20yes%0d%0a%0d%0a',
  '9'.repeat(1_000),
]

export const getPet: readonly Scenario[] = [
  {
    title: 'a pet is found by its id, encoded or not, and the response announces the end of the operation',
    steps: [
      { send: 'POST /pets', body: { name: 'Milo', categoryId: 2, status: 'sold' }, status: 201 },
      { send: 'GET /pets/{id}', status: 200, responseText: '{first}', responseHeaders: deprecationHeaders },
      { send: 'GET /pets/{encodedId}', status: 200, responseText: '{first}', responseHeaders: deprecationHeaders },
    ],
  },
  ...unknownIds.map((id) => ({
    title: `the id ${id.slice(0, 40)} is 404`,
    steps: [{ send: `GET /pets/${id}`, status: 404, code: 'pet_not_found', responseHeaders: deprecationHeaders }],
  })),
  {
    title: 'a query parameter is 400, because the operation takes none',
    steps: [
      {
        send: 'GET /pets/1?status=sold',
        status: 400,
        code: 'invalid_parameter',
        messageContains: 'status is not a query parameter of this operation. It takes none.',
      },
    ],
  },
]
