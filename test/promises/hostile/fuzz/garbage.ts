import { METHODS } from 'node:http'
import fc from 'fast-check'
import type { Contract } from '../../../../infra/contract/contract.ts'
import type { RawRequest } from '../connection.ts'
import { anyCharacter } from './values.ts'

export interface HostileRequest extends RawRequest {
  /**
   * `valid`: it follows the contract. `broken`: one thing in it does not, and it must be refused. `garbage`: either, but
   * every response must be of the contract.
   */
  readonly kind: 'valid' | 'broken' | 'garbage'
}

/** As a segment of a path, or as a part of a query. */
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Changes characters and bytes of a request wherever they stand, so that nobody knows what is left. */
export const spoil = (request: HostileRequest): fc.Arbitrary<HostileRequest> =>
  fc.oneof(
    spoilText(request.target.slice(1)).map((target) => ({ ...request, target: `/${encodeIllegal(target)}` })),
    fc.constantFrom(...methods).map((method) => ({ ...request, method })),
    fc.tuple(headerName, headerText).map((header) => ({ ...request, headers: [...request.headers, header] })),
    fc
      .oneof(spoilText(String(request.body ?? '')), fc.uint8Array({ maxLength: 200 }))
      .map((body) => ({ ...request, body })),
  )

const spoilText = (text: string): fc.Arbitrary<string> => {
  const added = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 2 }),
    fc.constantFrom('%', '%2f', '"', '\\', '{', '9', '.', 'e'),
  )
  const change = fc.record({ at: fc.nat(text.length), removed: fc.nat(2), added })
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) =>
      changes.reduce(
        (spoilt, { at, removed, added }) => spoilt.slice(0, at) + added + spoilt.slice(at + removed),
        text,
      ),
    )
}

/** What a request line cannot carry at all; a `%` that begins nothing stays. */
const encodeIllegal = (target: string): string => target.replace(/[^!-~]/gu, encode)

const methods = METHODS.filter((method) => method !== 'CONNECT')

/** Not those by which Node frames the request. */
const headerName = fc.oneof(
  fc.constantFrom(
    ...['Accept', 'Content-Encoding', 'Content-Type', 'Cookie', 'Idempotency-Key', 'Origin', 'Range'],
    ...['X-Amzn-Trace-Id', 'X-Forwarded-Proto', 'X-HTTP-Method-Override', '__proto__'],
  ),
  fc.stringMatching(/^X-[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/),
)

const headerText = fc.string({
  unit: fc
    .nat(255)
    .map((code) => String.fromCharCode(code))
    .filter((unit) => /[ -~\t\u0080-\u00ff]/.test(unit)),
})

/** Paths that are none, mostly, and methods that paths do not have. */
export const unroutedRequests = (contract: Contract, apiKey: string): fc.Arbitrary<HostileRequest> => {
  const paths = contract.operations.map(({ path }) => path)
  const segment = fc.oneof(
    fc.constantFrom(...paths.flatMap((path) => path.split('/')).flatMap((name) => [name, name.toUpperCase()])),
    fc.constantFrom('1', '../..', '.', '%2e%2e', '%2f', '%00', 'v1', '%zz', '%c0%af', '1%2F1', '*'),
    fc.string({ unit: anyCharacter }).map(encode),
  )
  const target = fc.oneof(
    fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
    fc.constantFrom(...paths).map(encodeIllegal),
  )
  const headers = fc.constantFrom([['Authorization', `Bearer ${apiKey}`] as const], [])
  return fc.record({ method: fc.constantFrom(...methods), target, headers, kind: fc.constant('garbage' as const) })
}
