// biome-ignore-all lint/suspicious/noTemplateCurlyInString: IAM writes its policy variables like this.
import { describe, expect, test } from 'vitest'
import { authorize } from '../../../../../infra/local/gateway/authorize.ts'
import { evaluatePolicy } from '../../../../../infra/local/gateway/policy.ts'
import type { Routed } from '../../../../../infra/local/gateway/request.ts'
import { route } from '../../../../../infra/local/gateway/route.ts'
import type { InvocationOutcome } from '../../../../../infra/local/lambda/invocation.ts'
import { failure, fakeFunctions, method, received, resource, restApi, result } from '../fixtures.ts'

const api = restApi({
  resources: [resource('/pets/{petId}', { GET: method('get', { authorizer: { functionName: 'authorizer' } }) })],
})
const stageArn = 'arn:aws:execute-api:us-east-1:000000000000:abcdef1234/v1'
const methodArn = `${stageArn}/GET/pets/7`

const routed = (): Routed => {
  const found = route(api, received('/v1/pets/7?a=1&a=2', { body: 'secret' }))
  if (typeof found !== 'object') throw new Error('The test has a route.')
  return found
}

const policy = (Effect: string, Resource: string = methodArn) => ({
  Version: '2012-10-17',
  Statement: [{ Effect, Action: 'execute-api:Invoke', Resource }],
})

const run = async (outcome: InvocationOutcome) => {
  const { functions, events, problems } = fakeFunctions({ authorizer: outcome })
  return { authorized: await authorize(api, routed(), functions), events, problems }
}

describe('Authorizing', () => {
  test('Allow passes on the principal, the usage key and the context, each value as a string', async () => {
    const context = { text: 'a', number: 1, boolean: true }
    const { authorized } = await run(
      result({ principalId: 'me', policyDocument: policy('Allow'), context, usageIdentifierKey: 'hash' }),
    )
    expect(authorized).toMatchObject({
      principalId: 'me',
      usageIdentifierKey: 'hash',
      authorizerContext: { text: 'a', number: '1', boolean: 'true' },
    })
  })

  test('A policy for another method is ACCESS_DENIED', async () => {
    const other = policy('Allow', methodArn.replace('GET', 'POST'))
    expect((await run(result({ principalId: 'me', policyDocument: other }))).authorized).toBe('ACCESS_DENIED')
  })

  test('Throwing exactly Unauthorized is UNAUTHORIZED, and is not reported', async () => {
    expect(await run(failure('Unauthorized'))).toMatchObject({ authorized: 'UNAUTHORIZED', problems: [] })
  })

  test('Any other error is AUTHORIZER_CONFIGURATION_ERROR, and is reported', async () => {
    const { authorized, problems } = await run(failure('unauthorized'))
    expect([authorized, problems]).toEqual(['AUTHORIZER_CONFIGURATION_ERROR', ['Error: unauthorized']])
  })

  test.each([
    ['that is no object', 'Allow', 'a policy'],
    ['without a policy', { principalId: 'me' }, 'a policy'],
    ['with another effect', { principalId: 'me', policyDocument: policy('Maybe') }, 'a policy'],
    ['with an object in the context', { policyDocument: policy('Allow'), context: { a: {} } }, 'an invalid context'],
    ['with null in the context', { policyDocument: policy('Allow'), context: { a: null } }, 'an invalid context'],
  ])('A result %s is AUTHORIZER_CONFIGURATION_ERROR, and is reported', async (_name, value, problem) => {
    const { authorized, problems } = await run(result(value))
    expect([authorized, problems]).toEqual(['AUTHORIZER_CONFIGURATION_ERROR', [expect.stringContaining(problem)]])
  })

  test('The event is that of a REQUEST authorizer: without a body, and with empty objects instead of null', async () => {
    const { events } = await run(result({ principalId: 'me', policyDocument: policy('Allow') }))
    expect(events[0]).toMatchObject({
      type: 'REQUEST',
      methodArn,
      resource: '/pets/{petId}',
      path: '/pets/7',
      httpMethod: 'GET',
      headers: { Host: '127.0.0.1:3000' },
      queryStringParameters: { a: '2' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
      pathParameters: { petId: '7' },
      stageVariables: {},
      requestContext: { path: '/v1/pets/7', stage: 'v1', resourcePath: '/pets/{petId}' },
    })
    expect(events[0]).not.toHaveProperty('body')
  })
})

describe('A policy', () => {
  const allow = policy('Allow', '*').Statement[0]
  const deny = policy('Deny', methodArn).Statement[0]
  const longest = `${methodArn}${'*'.repeat(512 - methodArn.length)}`
  test.each([
    ['denies by an explicit Deny beside an Allow', { Statement: [allow, deny] }, 'deny'],
    ['may have one statement outside a list', { Statement: allow }, 'allow'],
    ['crosses slashes and colons by *', policy('Allow', 'arn:aws:execute-api:*:abcdef1234/v1/*'), 'allow'],
    ['matches nothing by * too', policy('Allow', `${methodArn}*`), 'allow'],
    ['takes the parts between * in their order', policy('Allow', '*/pets*/GET*'), 'deny'],
    ['uses no character twice', policy('Allow', `${methodArn}*7`), 'deny'],
    ['covers no other stage', policy('Allow', `${stageArn.replace('/v1', '/v2')}/*`), 'deny'],
    ['distinguishes the case of resources', policy('Allow', methodArn.replace('pets', 'Pets')), 'deny'],
    ['ignores the case of actions', { Statement: [{ ...allow, Action: 'EXECUTE-API:invoke' }] }, 'allow'],
    ['takes a . literally', policy('Allow', methodArn.replace('7', '.')), 'deny'],
    ['allows nothing for another action', { Statement: [{ ...allow, Action: 's3:*' }] }, 'deny'],
    ['allows nothing without a statement', { Statement: [] }, 'deny'],
    ['may have a resource of 512 characters', policy('Allow', longest), 'allow'],
    ['is invalid with a longer one', policy('Allow', `${longest}*`), 'invalid'],
    [
      'is invalid with a longer one in a list',
      { Statement: [{ ...allow, Resource: ['*', `${longest}*`] }] },
      'invalid',
    ],
    ['is invalid without a resource', { Statement: [{ Effect: 'Allow', Action: '*' }] }, 'invalid'],
    ['is invalid with ?, which is not supported', policy('Allow', methodArn.replace('7', '?')), 'invalid'],
    ['is invalid with a variable, which is not supported', policy('Allow', '${aws:username}*'), 'invalid'],
  ])('%s', (_name, document, decision) => {
    expect(evaluatePolicy(document, methodArn)).toBe(decision)
  })

  test('with many wildcards is evaluated in bounded time', () => {
    const pattern = `${stageArn}/${'*a'.repeat(200)}`
    expect(evaluatePolicy(policy('Allow', pattern), `${stageArn}/${'a'.repeat(5_000)}b`)).toBe('deny')
  })
})
