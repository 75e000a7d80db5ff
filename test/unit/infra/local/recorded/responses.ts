import { expect } from 'vitest'
import { documentation, type Fact, report, reported, snapshot, sure } from './fact.ts'
import { call, replyTo } from './gateway.ts'

const traceId = 'Root=1-5759e988-bd862e3fe1be46a994272793'
const output = documentation('Output format of a Lambda function for proxy integration')

const isMalformed = (result: unknown) => async () => {
  const response = await replyTo(result)
  expect([response.status, await response.text()]).toEqual([502, 'DEFAULT_5XX'])
}

/** What a caller gets of the result of an integration. */
export const responseFacts: readonly Fact[] = [
  sure('A result with an unknown field is a 502.', snapshot, isMalformed({ statusCode: 200, unknown: 1 })),
  sure('A result that is a string is a 502.', snapshot, isMalformed('text')),
  sure('A status that is no number is a 502.', snapshot, isMalformed({ statusCode: 'test' })),
  sure(
    'A multi-value header that is no list is a 502.',
    snapshot,
    isMalformed({ statusCode: 200, multiValueHeaders: { A: 'b' } }),
  ),
  sure('A status may be a string of digits.', snapshot, async () =>
    expect((await replyTo({ statusCode: '201' })).status).toBe(201),
  ),
  sure('An empty result is an empty 200.', snapshot, async () => {
    const response = await replyTo({})
    expect([response.status, await response.text()]).toEqual([200, ''])
  }),
  sure('The headers of a result may be null.', snapshot, async () =>
    expect((await replyTo({ headers: null, multiValueHeaders: null })).status).toBe(200),
  ),
  sure('A header that is true is sent as text.', snapshot, async () =>
    expect((await replyTo({ headers: { A: true } })).headers.get('A')).toBe('true'),
  ),
  sure(
    'A name in both header maps has the multi values and then the single one; names are compared without case.',
    snapshot,
    async () => {
      const both = { headers: { 'own-name': 'single' }, multiValueHeaders: { 'Own-Name': ['one', 'two'] } }
      expect((await replyTo(both)).headers.get('Own-Name')).toBe('one, two, single')
    },
  ),
  sure('A pair of name and value in both header maps is sent once.', output, async () => {
    const both = { headers: { Own: 'one' }, multiValueHeaders: { Own: ['one', 'two'] } }
    expect((await replyTo(both)).headers.get('Own')).toBe('one, two')
  }),
  sure(
    'Some headers of a function come out under another name.',
    documentation('Important notes for REST APIs'),
    async () => {
      const renamed = ['WWW-Authenticate', 'Date', 'Server', 'Authorization', 'Connection', 'Content-Length']
      const { headers } = await replyTo({ headers: Object.fromEntries(renamed.map((name) => [name, 'own'])) })
      for (const name of renamed) {
        expect([name, headers.get(`x-amzn-Remapped-${name}`)]).toEqual([name, 'own'])
        expect(headers.get(name)).not.toBe('own')
      }
    },
  ),
  sure(
    'The headers of limits, links, deprecation and caching pass.',
    documentation('Important notes for REST APIs'),
    async () => {
      const passed = ['Link', 'Retry-After', 'Deprecation', 'Sunset', 'X-RateLimit-Limit', 'RateLimit', 'Cache-Control']
      const { headers } = await replyTo({ headers: Object.fromEntries(passed.map((name) => [name, 'own'])) })
      for (const name of passed) expect([name, headers.get(name)]).toEqual([name, 'own'])
    },
  ),
  sure(
    "A function's response carries the X-Amzn-Trace-Id of the request; that of a MOCK integration has none.",
    snapshot,
    async () => {
      const headers = { 'X-Amzn-Trace-Id': traceId }
      expect((await call('/v1/x', { headers })).headers.get('X-Amzn-Trace-Id')).toBe(traceId)
      const preflight = await call('/v1/mock', { method: 'OPTIONS', headers })
      expect(preflight.headers.has('X-Amzn-Trace-Id')).toBe(false)
    },
  ),
  reported('A preflight by a MOCK integration is a 204.', snapshot, async () => {
    const { status, headers } = await call('/v1/mock', { method: 'OPTIONS' })
    expect([status, headers.get('A')]).toEqual([204, 'b'])
  }),
  reported(
    'A MOCK integration without a template for the content type, and WHEN_NO_MATCH or NEVER, is a 415.',
    report,
    async () => {
      const preflight = await call('/v1/mock', { method: 'OPTIONS', headers: { 'Content-Type': 'text/plain' } })
      expect(preflight.status).toBe(204)
    },
    'MOCK integrations give their response without templates',
  ),
  sure(
    'A throttled function is INTEGRATION_FAILURE where that type is customised.',
    report,
    async () => {
      const responses = await Promise.all(Array.from({ length: 50 }, () => call('/v1/x')))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    },
    'as many instances of a function as there are processors, then requests wait; idle ones are not frozen',
  ),
]
