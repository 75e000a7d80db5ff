import { expect } from 'vitest'
import { documentation, type Fact, report, snapshot } from './fact.ts'
import { call, callWithoutProxy, decision, edgeKeys } from './gateway.ts'

const responses = documentation('Gateway responses for REST APIs in API Gateway')

const responseTo = async (path: string, init?: RequestInit) => {
  const { status, headers } = await call(path, init)
  return { status, errorType: headers.get('x-amzn-ErrorType') }
}

/** What the gateway responds by itself. */
export const gatewayResponseFacts: readonly Fact[] = [
  {
    fact: 'A body of more than 10 MB is a 413 of plain text, without the headers of the gateway response REQUEST_TOO_LARGE.',
    source: report,
    certainty: 'reported',
    holds: async () => {
      const response = await call('/v1/x', { method: 'POST', body: new Uint8Array(10_485_761) })
      expect([response.status, await response.text()]).toEqual([413, 'HTTP content length exceeded 10485760 bytes.'])
      expect(response.headers.get('Content-Type')).toBe('text/plain')
      expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false)
    },
  },
  {
    fact: 'A path or a method without a route is 403 MISSING_AUTHENTICATION_TOKEN.',
    source: report,
    certainty: 'sure',
    holds: async () => {
      for (const response of [await callWithoutProxy('/v1/y'), await callWithoutProxy('/v1/x', { method: 'PUT' })]) {
        expect([response.status, await response.text()]).toEqual([403, '{"message":"Missing Authentication Token"}'])
        expect(response.headers.get('x-amzn-ErrorType')).toBe('MissingAuthenticationTokenException')
      }
    },
  },
  {
    fact: 'Without a route, and with a Bearer token, it is 403 IncompleteSignatureException.',
    source: report,
    certainty: 'sure',
    differs: 'a path without a route is 403 `MISSING_AUTHENTICATION_TOKEN` with a Bearer token too',
    holds: async () => {
      const { status, headers } = await callWithoutProxy('/v1/y', { headers: { Authorization: 'Bearer a' } })
      expect([status, headers.get('x-amzn-ErrorType')]).toEqual([403, 'MissingAuthenticationTokenException'])
    },
  },
  {
    fact: 'An authorizer that throws exactly Unauthorized is UNAUTHORIZED, 401.',
    source: documentation('Use API Gateway Lambda authorizers'),
    certainty: 'sure',
    holds: async () => {
      expect(await responseTo('/v1/guarded?error=Unauthorized')).toEqual({
        status: 401,
        errorType: 'UnauthorizedException',
      })
    },
  },
  {
    fact: 'An authorizer that denies is ACCESS_DENIED, 403.',
    source: documentation('Use API Gateway Lambda authorizers'),
    certainty: 'sure',
    holds: async () => {
      const denied = { status: 403, errorType: 'AccessDeniedException' }
      expect(await responseTo(`/v1/guarded${decision('Deny')}`)).toEqual(denied)
    },
  },
  {
    fact: 'An authorizer that throws anything else, or crashes, is 500 AuthorizerConfigurationException.',
    source: report,
    certainty: 'reported',
    holds: async () => {
      const failed = { status: 500, errorType: 'AuthorizerConfigurationException' }
      expect(await responseTo('/v1/guarded?error=unauthorized')).toEqual(failed)
      expect(await responseTo('/v1/guarded?exit=1')).toEqual(failed)
    },
  },
  {
    fact: 'The policy of an authorizer that gives no principalId is evaluated all the same.',
    source: report,
    certainty: 'reported',
    holds: async () => {
      expect((await call(`/v1/guarded${decision('Allow', { principalId: undefined })}`)).status).toBe(200)
      expect((await call(`/v1/guarded${decision('Deny', { principalId: undefined })}`)).status).toBe(403)
    },
  },
  {
    fact: 'The authorizer comes before the API key: a denied request gets no error about the key.',
    source: documentation('Choose an API key source in API Gateway'),
    certainty: 'sure',
    holds: async () => {
      const unknownKey = { usageIdentifierKey: 'unknown' }
      const denied = { status: 403, errorType: 'AccessDeniedException' }
      expect(await responseTo(`/v1/metered${decision('Deny', unknownKey)}`)).toEqual(denied)
    },
  },
  {
    fact: 'An API key that is unknown is INVALID_API_KEY, 403.',
    source: documentation('Gateway response types for API Gateway'),
    certainty: 'sure',
    holds: async () => {
      const forbidden = { status: 403, errorType: 'ForbiddenException' }
      expect(await responseTo(`/v1/metered${decision('Allow', { usageIdentifierKey: 'unknown' })}`)).toEqual(forbidden)
    },
  },
  {
    fact: 'A new API key can take minutes to work, and usage plans are best effort.',
    source: report,
    certainty: 'sure',
    differs: 'a new key works at once, and usage plans count exactly, in memory',
    holds: async () => {
      edgeKeys.set('new', { value: 'new', name: 'key_1', usagePlanId: 'plan', createdAt: 0 })
      const once = async () => (await call(`/v1/metered${decision('Allow', { usageIdentifierKey: 'new' })}`)).status
      expect([await once(), await once(), await once()]).toEqual([200, 200, 429])
    },
  },
  {
    fact: 'A gateway response may send WWW-Authenticate.',
    source: responses,
    certainty: 'sure',
    holds: async () => {
      const { headers } = await call('/v1/guarded?error=Unauthorized')
      expect(headers.get('WWW-Authenticate')).toBe('Bearer')
    },
  },
  {
    fact: 'The JSON template is used whatever Accept says.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      const response = await call('/v1/guarded?error=Unauthorized', { headers: { Accept: 'text/html' } })
      expect(response.headers.get('Content-Type')).toBe('application/json')
    },
  },
  {
    fact: 'A customised type takes nothing from DEFAULT_4XX; one that is not takes all.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect((await call('/v1/guarded?error=Unauthorized')).headers.has('Of-Default')).toBe(false)
      expect((await call(`/v1/guarded${decision('Deny')}`)).headers.get('Of-Default')).toBe('yes')
    },
  },
]
