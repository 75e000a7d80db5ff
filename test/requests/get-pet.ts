import { type Scenario, scenario } from './scenario.ts'

const announced = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: /^<[^>]*\/v1\/pets>; rel="successor-version"$/,
}

const ids = [
  ...'1 0 -1 9223372036854775807 -9223372036854775808 9223372036854775808 99999999999999999999 1.5 1e3 0x10'.split(' '),
  ...'007 +1 %2B1 milo undefined __proto__ %20 %00 %253409 %D9%A5 %F0%9F%90%B6 ..%2F5 5%2F6 %3E%2Fa 1%27--'.split(' '),
  '1%0d%0aX-Injected:%20yes%0d%0a%0d%0a',
  ...[100, 1_000].map((length) => '9'.repeat(length)),
]

export const getPet: readonly Scenario[] = [
  scenario(
    'a pet is found, and the response announces the end of the operation',
    { send: 'POST /pets', body: { name: 'Milo', categoryId: 2, status: 'sold' }, status: 201 },
    { send: 'GET /pets/{id}', status: 200, text: '{first}', with: announced },
    { send: 'GET /pets/{encodedId}', status: 200, text: '{first}', with: announced },
  ),
  ...ids.map((id) =>
    scenario(`the id ${id.slice(0, 30)}${id.length > 30 ? `, of ${id.length} digits,` : ''} is 404`, {
      ...{ send: `GET /pets/${id}`, status: 404, code: 'pet_not_found', with: announced },
    }),
  ),
  scenario('a query parameter, which the operation does not take, is 400', {
    ...{ send: 'GET /pets/1?status=sold', status: 400, code: 'invalid_parameter' },
    says: 'status is not a query parameter of this operation. It takes none.',
  }),
]
