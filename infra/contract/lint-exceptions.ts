/** A rule of a linter that the contract does not follow, where, and why. */
export interface Exception {
  readonly rule: string
  /** JSON pointers, in which `*` stands for any one key. Everywhere else the rule holds. */
  readonly places: readonly string[]
  readonly reason: string
}

const headers = (...names: readonly string[]) => names.map((name) => `#/components/headers/${name}/schema`)

export const exceptions: readonly Exception[] = [
  {
    rule: 'redocly:info-contact',
    places: ['#/info/contact'],
    reason: 'Who gives out keys differs by environment. It is put into the document that each one publishes.',
  },
  {
    rule: 'oas:info-contact',
    places: ['#/info'],
    reason: 'As for redocly:info-contact.',
  },
  {
    rule: 'oas:license-url',
    places: ['#/info/license'],
    reason: 'OpenAPI 3.1 allows a url or an SPDX identifier, not both, and the identifier says all.',
  },
  {
    rule: 'redocly:operation-2xx-response',
    places: ['#/paths/~1store~1orders/get/responses'],
    reason: 'The operation is reserved. 501 is its only response, and an invented success would be untrue.',
  },
  {
    rule: 'oas:operation-success-response',
    places: ['#/paths/~1store~1orders/get/responses'],
    reason: 'As for redocly:operation-2xx-response.',
  },
  {
    rule: 'redocly:path-segment-plural',
    places: ['#/paths/~1store~1orders'],
    reason: 'The interface specification names the path, and there is one store.',
  },
  {
    rule: 'redocly:no-unused-components',
    places: ['#/components/responses/RouteNotFound', '#/components/responses/MethodNotAllowed'],
    reason: 'Used by x-unrouted-responses, for requests that name no operation. Linters do not look into extensions.',
  },
  {
    rule: 'redocly:operation-4xx-problem-details-rfc7807',
    places: ['#/components/responses/*'],
    reason: 'The interface specification gives errors a body of their own, as application/json.',
  },
  {
    rule: 'redocly:required-string-property-missing-min-length',
    places: ['#/components/schemas/PetStatus', '#/components/schemas/ErrorCode'],
    reason: 'An enumeration has no shorter value than those that it lists.',
  },
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    places: ['#/components/parameters/PetId/schema'],
    reason: 'The interface specification makes it an int64. Every key may list every pet, so there is none to guess.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    places: [
      '#/paths/*/*/responses/*/headers',
      '#/components/responses/PetNotFound/headers',
      '#/components/responses/TooManyRequests/headers',
    ],
    reason: 'It takes exactly one of two sets of headers. These responses have both: X-RateLimit-* and RateLimit.',
  },
  {
    rule: 'owasp:api4:2023-integer-limit',
    places: ['#/components/parameters/PetId/schema', '#/components/schemas/CategoryId'],
    reason:
      'The format is the limit. Written as numbers, the ends of int64 are rounded by most readers of YAML and JSON.',
  },
  {
    rule: 'owasp:api4:2023-integer-limit',
    places: headers('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'),
    reason: 'The rule protects the service from what it is sent. These are its responses, and time has no end.',
  },
  {
    rule: 'owasp:api4:2023-string-limit',
    places: [
      ...headers('RateLimit-Policy', 'RateLimit', 'NextPage', 'Deprecation', 'Replacement', 'Allow'),
      '#/components/responses/TooManyRequests/headers/RateLimit-Policy/schema',
      '#/components/responses/TooManyRequests/headers/RateLimit/schema',
      '#/components/schemas/Error/properties/message',
    ],
    reason:
      'The rule protects the service from what it is sent. These are its responses, and their patterns bound them.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: ['#/components/parameters/Cursor/schema'],
    reason: 'What a cursor is made of is not for callers to know. One that is none has an error code of its own.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: ['#/components/parameters/IdempotencyKey/schema'],
    reason: 'It is a string of the caller, of bounded length, and only its hash is kept.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    places: ['#/components/schemas/Error/properties/message'],
    reason: 'A sentence for people.',
  },
]
