import { expect } from 'vitest'
import { documentation, type Fact, report, snapshot } from './fact.ts'
import { call, replyTo } from './gateway.ts'

const traceId = 'Root=1-5759e988-bd862e3fe1be46a994272793'
const output = documentation('Output format of a Lambda function for proxy integration')

const isMalformed = (result: unknown) => async () => {
  const response = await replyTo(result)
  expect([response.status, await response.text()]).toEqual([502, '{"message":"Internal server error"}'])
}

/** What a caller gets of the result of an integration. */
export const responseFacts: readonly Fact[] = [
  {
    fact: 'A result with an unknown field is a 502.',
    source: snapshot,
    certainty: 'sure',
    holds: isMalformed({ statusCode: 200, unknown: 1 }),
  },
  { fact: 'A result that is a string is a 502.', source: snapshot, certainty: 'sure', holds: isMalformed('text') },
  {
    fact: 'A status that is no number is a 502.',
    source: snapshot,
    certainty: 'sure',
    holds: isMalformed({ statusCode: 'test' }),
  },
  {
    fact: 'A multi-value header that is no list is a 502.',
    source: snapshot,
    certainty: 'sure',
    holds: isMalformed({ statusCode: 200, multiValueHeaders: { A: 'b' } }),
  },
  {
    fact: 'A status may be a string of digits.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => expect((await replyTo({ statusCode: '201' })).status).toBe(201),
  },
  {
    fact: 'An empty result is an empty 200.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      const response = await replyTo({})
      expect([response.status, await response.text()]).toEqual([200, ''])
    },
  },
  {
    fact: 'The headers of a result may be null.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => expect((await replyTo({ headers: null, multiValueHeaders: null })).status).toBe(200),
  },
  {
    fact: 'A header that is true is sent as text.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => expect((await replyTo({ headers: { A: true } })).headers.get('A')).toBe('true'),
  },
  {
    fact: 'A name in both header maps has the multi values and then the single one; names are compared without case.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      const both = { headers: { 'own-name': 'single' }, multiValueHeaders: { 'Own-Name': ['one', 'two'] } }
      expect((await replyTo(both)).headers.get('Own-Name')).toBe('one, two, single')
    },
  },
  {
    fact: 'A pair of name and value in both header maps is sent once.',
    source: output,
    certainty: 'sure',
    holds: async () => {
      const both = { headers: { Own: 'one' }, multiValueHeaders: { Own: ['one', 'two'] } }
      expect((await replyTo(both)).headers.get('Own')).toBe('one, two')
    },
  },
  {
    fact: 'Some headers of a function come out under another name.',
    source: documentation('Important notes for REST APIs'),
    certainty: 'sure',
    holds: async () => {
      const renamed = ['WWW-Authenticate', 'Date', 'Server', 'Authorization', 'Connection', 'Content-Length']
      const { headers } = await replyTo({ headers: Object.fromEntries(renamed.map((name) => [name, 'own'])) })
      for (const name of renamed) {
        expect([name, headers.get(`x-amzn-Remapped-${name}`)]).toEqual([name, 'own'])
        expect(headers.get(name)).not.toBe('own')
      }
    },
  },
  {
    fact: 'The headers of limits, links, deprecation and caching pass.',
    source: documentation('Important notes for REST APIs'),
    certainty: 'sure',
    holds: async () => {
      const passed = ['Link', 'Retry-After', 'Deprecation', 'Sunset', 'X-RateLimit-Limit', 'RateLimit', 'Cache-Control']
      const { headers } = await replyTo({ headers: Object.fromEntries(passed.map((name) => [name, 'own'])) })
      for (const name of passed) expect([name, headers.get(name)]).toEqual([name, 'own'])
    },
  },
  {
    fact: "A function's response carries the X-Amzn-Trace-Id of the request; that of a MOCK integration has none.",
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      const headers = { 'X-Amzn-Trace-Id': traceId }
      expect((await call('/v1/x', { headers })).headers.get('X-Amzn-Trace-Id')).toBe(traceId)
      const preflight = await call('/v1/mock', { method: 'OPTIONS', headers })
      expect(preflight.headers.has('X-Amzn-Trace-Id')).toBe(false)
    },
  },
  {
    fact: 'A preflight by a MOCK integration is a 204.',
    source: snapshot,
    certainty: 'reported',
    holds: async () => {
      const { status, headers } = await call('/v1/mock', { method: 'OPTIONS' })
      expect([status, headers.get('A')]).toEqual([204, 'b'])
    },
  },
  {
    fact: 'A MOCK integration without a template for the content type, and WHEN_NO_MATCH or NEVER, is a 415.',
    source: report,
    certainty: 'reported',
    differs: 'MOCK integrations give their response without templates',
    holds: async () => {
      const preflight = await call('/v1/mock', { method: 'OPTIONS', headers: { 'Content-Type': 'text/plain' } })
      expect(preflight.status).toBe(204)
    },
  },
  {
    fact: 'A throttled function is INTEGRATION_FAILURE where that type is customised.',
    source: report,
    certainty: 'sure',
    differs: 'as many instances of a function as there are processors, then requests wait; idle ones are not frozen',
    holds: async () => {
      const responses = await Promise.all(Array.from({ length: 50 }, () => call('/v1/x')))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    },
  },
]
