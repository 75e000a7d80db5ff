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
  test.each([
    ['Unauthorized', 'UNAUTHORIZED', []],
    ['unauthorized', 'AUTHORIZER_CONFIGURATION_ERROR', ['Error: unauthorized']],
  ])('Throwing %s is %s, and only a fault is reported', async (message, authorized, problems) => {
    expect(await run(failure(message))).toMatchObject({ authorized, problems })
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
  const [allow] = policy('Allow', '*').Statement
  const [deny] = policy('Deny', methodArn).Statement
  const longest = `${methodArn}${'x'.repeat(511 - methodArn.length)}*`
  test.each([
    ['denies by an explicit Deny beside an Allow', { Statement: [allow, deny] }, 'deny'],
    ['allows every method of its stage', policy('Allow', `${stageArn}/*`), 'allow'],
    ['covers no other stage', policy('Allow', `${stageArn.replace('/v1', '/v2')}/*`), 'deny'],
    ['distinguishes the case of resources', policy('Allow', methodArn.replace('pets', 'Pets')), 'deny'],
    ['allows nothing without a statement', { Statement: [] }, 'deny'],
    ['may have a resource of 512 characters', policy('Allow', longest), 'deny'],
    ['is invalid with a longer one', policy('Allow', `x${longest}`), 'invalid'],
    ['is invalid without a resource', { Statement: [{ ...allow, Resource: undefined }] }, 'invalid'],
    ['is invalid with another action', { Statement: [{ ...allow, Action: 's3:*' }] }, 'invalid'],
    ['is invalid with *, but at the end', policy('Allow', '*/pets'), 'invalid'],
    ['is invalid with ?', policy('Allow', methodArn.replace('7', '?')), 'invalid'],
    ['is invalid with a variable', policy('Allow', '${aws:username}*'), 'invalid'],
  ])('%s', (_name, document, decision) => expect(evaluatePolicy(document, methodArn)).toBe(decision))
})
