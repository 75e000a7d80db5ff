import { expect } from 'vitest'
import { documentation, type Fact, report, reported, snapshot, sure } from './fact.ts'
import { call, callWithoutProxy, decision } from './gateway.ts'

const responseTo = async (path: string, init?: RequestInit) => {
  const { status, headers } = await call(path, init)
  return { status, errorType: headers.get('x-amzn-ErrorType') }
}

const noUsagePlans = 'usage plans are not emulated: a method that needs an API key takes any that the authorizer names'

/** What the gateway responds by itself. */
export const gatewayResponseFacts: readonly Fact[] = [
  reported(
    'A body of more than 10 MB is a 413 of plain text, without the headers of the gateway response REQUEST_TOO_LARGE.',
    report,
    async () => {
      const response = await call('/v1/x', { method: 'POST', body: new Uint8Array(10_485_761) })
      expect([response.status, await response.text()]).toEqual([413, 'HTTP content length exceeded 10485760 bytes.'])
      expect(response.headers.get('Content-Type')).toBe('text/plain')
      expect(response.headers.has('Own-Header')).toBe(false)
    },
  ),
  sure('A path or a method without a route is 403 MISSING_AUTHENTICATION_TOKEN.', report, async () => {
    for (const response of [await callWithoutProxy('/v1/y'), await callWithoutProxy('/v1/x', { method: 'PUT' })]) {
      expect([response.status, await response.text()]).toEqual([403, 'MISSING_AUTHENTICATION_TOKEN'])
      expect(response.headers.get('x-amzn-ErrorType')).toBe('MissingAuthenticationTokenException')
    }
  }),
  sure(
    'Without a route, and with a Bearer token, it is 403 IncompleteSignatureException.',
    report,
    async () => {
      const { status, headers } = await callWithoutProxy('/v1/y', { headers: { Authorization: 'Bearer a' } })
      expect([status, headers.get('x-amzn-ErrorType')]).toEqual([403, 'MissingAuthenticationTokenException'])
    },
    'a path without a route is 403 `MISSING_AUTHENTICATION_TOKEN` with a Bearer token too',
  ),
  sure(
    'An authorizer that throws exactly Unauthorized is UNAUTHORIZED, 401.',
    documentation('Use API Gateway Lambda authorizers'),
    async () => {
      expect(await responseTo('/v1/guarded?error=Unauthorized')).toEqual({
        status: 401,
        errorType: 'UnauthorizedException',
      })
    },
  ),
  sure(
    'An authorizer that denies is ACCESS_DENIED, 403.',
    documentation('Use API Gateway Lambda authorizers'),
    async () => {
      const denied = { status: 403, errorType: 'AccessDeniedException' }
      expect(await responseTo(`/v1/guarded${decision('Deny')}`)).toEqual(denied)
    },
  ),
  reported(
    'An authorizer that throws anything else, or crashes, is 500 AuthorizerConfigurationException.',
    report,
    async () => {
      const failed = { status: 500, errorType: 'AuthorizerConfigurationException' }
      expect(await responseTo('/v1/guarded?error=unauthorized')).toEqual(failed)
      expect(await responseTo('/v1/guarded?exit=1')).toEqual(failed)
    },
  ),
  reported('The policy of an authorizer that gives no principalId is evaluated all the same.', report, async () => {
    expect((await call(`/v1/guarded${decision('Allow', { principalId: undefined })}`)).status).toBe(200)
    expect((await call(`/v1/guarded${decision('Deny', { principalId: undefined })}`)).status).toBe(403)
  }),
  sure(
    'The authorizer comes before the API key: a denied request gets no error about the key.',
    documentation('Choose an API key source in API Gateway'),
    async () => {
      const unknownKey = { usageIdentifierKey: 'unknown' }
      const denied = { status: 403, errorType: 'AccessDeniedException' }
      expect(await responseTo(`/v1/metered${decision('Deny', unknownKey)}`)).toEqual(denied)
    },
  ),
  sure(
    'An API key that is unknown is INVALID_API_KEY, 403.',
    documentation('Gateway response types for API Gateway'),
    async () => {
      const forbidden = { status: 403, errorType: 'ForbiddenException' }
      expect(await responseTo(`/v1/metered${decision('Allow')}`)).toEqual(forbidden)
      expect((await call(`/v1/metered${decision('Allow', { usageIdentifierKey: 'unknown' })}`)).status).toBe(200)
    },
    noUsagePlans,
  ),
  sure(
    'A new API key can take minutes to work, and usage plans are best effort.',
    report,
    async () => {
      const once = async () => (await call(`/v1/metered${decision('Allow', { usageIdentifierKey: 'new' })}`)).status
      expect([await once(), await once(), await once()]).toEqual([200, 200, 200])
    },
    noUsagePlans,
  ),
  sure('The JSON template is used whatever Accept says.', snapshot, async () => {
    const response = await call('/v1/guarded?error=Unauthorized', { headers: { Accept: 'text/html' } })
    expect(response.headers.get('Content-Type')).toBe('application/json')
  }),
]
