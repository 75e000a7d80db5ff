// biome-ignore-all lint/suspicious/noTemplateCurlyInString: IAM writes its policy variables like this.
import { describe, expect, test } from 'vitest'
import { authorize } from '../../../../infra/local/gateway/authorize.ts'
import { evaluatePolicy } from '../../../../infra/local/gateway/policy.ts'
import type { Routed } from '../../../../infra/local/gateway/request.ts'
import { route } from '../../../../infra/local/gateway/route.ts'
import type { InvocationOutcome } from '../../../../infra/local/lambda/invocation.ts'
import { failure, fakeHost, method, received, resource, restApi, result } from './fixtures.ts'

const api = restApi({
  resources: [resource('/pets/{petId}', { GET: method('get', { authorizer: { functionName: 'authorizer' } }) })],
})
const stageArn = 'arn:aws:execute-api:us-east-1:000000000000:abcdef1234/v1'
const methodArn = `${stageArn}/GET/pets/7`

const routed = (): Routed => {
  const found = route(api, received('/v1/pets/7?a=1&a=2', { body: 'secret' }))
  if ('refused' in found) throw new Error('The test has a route.')
  return found
}

const policy = (Effect: string, Resource: string = methodArn) => ({
  Version: '2012-10-17',
  Statement: [{ Effect, Action: 'execute-api:Invoke', Resource }],
})

const ask = async (outcome: InvocationOutcome) => {
  const problems: string[] = []
  const { host, events } = fakeHost({ authorizer: outcome })
  const authorized = await authorize(api, routed(), { host, report: (_name, problem) => problems.push(problem) })
  return { authorized, events, problems }
}

describe('Authorizing', () => {
  test('Allow hands on the principal, the usage key and the context, each value as a text', async () => {
    const context = { text: 'a', number: 1, boolean: true }
    const { authorized } = await ask(
      result({ principalId: 'me', policyDocument: policy('Allow'), context, usageIdentifierKey: 'hash' }),
    )
    expect(authorized).toMatchObject({
      principalId: 'me',
      usageIdentifierKey: 'hash',
      authorizerValues: { text: 'a', number: '1', boolean: 'true' },
    })
  })

  test('Deny is ACCESS_DENIED, with its context', async () => {
    const { authorized } = await ask(
      result({ principalId: 'me', policyDocument: policy('Deny'), context: { retryAfter: 3 } }),
    )
    expect(authorized).toEqual({ refused: 'ACCESS_DENIED', authorizerValues: { retryAfter: '3' } })
  })

  test('A policy for another method is ACCESS_DENIED', async () => {
    const other = policy('Allow', methodArn.replace('GET', 'POST'))
    const { authorized } = await ask(result({ principalId: 'me', policyDocument: other }))
    expect(authorized).toMatchObject({ refused: 'ACCESS_DENIED' })
  })

  test('Throwing exactly Unauthorized is UNAUTHORIZED, and nothing to report', async () => {
    const { authorized, problems } = await ask(failure('Unauthorized'))
    expect(authorized).toMatchObject({ refused: 'UNAUTHORIZED' })
    expect(problems).toEqual([])
  })

  test('Any other error is AUTHORIZER_CONFIGURATION_ERROR, and is reported', async () => {
    const { authorized, problems } = await ask(failure('unauthorized'))
    expect(authorized).toMatchObject({ refused: 'AUTHORIZER_CONFIGURATION_ERROR' })
    expect(problems).toEqual(['Error: unauthorized'])
  })

  test.each([
    ['Allow', { principalId: undefined }],
    ['Deny', { refused: 'ACCESS_DENIED' }],
  ])('A result without a principal has its policy evaluated: %s', async (effect, outcome) => {
    const { authorized } = await ask(result({ policyDocument: policy(effect) }))
    expect(authorized).toMatchObject(outcome)
  })

  test.each([
    ['no object', 'Allow'],
    ['no policy', { principalId: 'me' }],
    ['no statement with an effect', { principalId: 'me', policyDocument: policy('Maybe') }],
    ['a resource of more than 512 characters', { principalId: 'me', policyDocument: policy('Allow', '*'.repeat(513)) }],
    ['an object in the context', { principalId: 'me', policyDocument: policy('Allow'), context: { a: {} } }],
    ['null in the context', { principalId: 'me', policyDocument: policy('Allow'), context: { a: null } }],
  ])('A result with %s is AUTHORIZER_CONFIGURATION_ERROR', async (_name, value) => {
    const { authorized, problems } = await ask(result(value))
    expect(authorized).toMatchObject({ refused: 'AUTHORIZER_CONFIGURATION_ERROR' })
    expect(problems).toHaveLength(1)
  })

  test('The event is that of a REQUEST authorizer: no body, what is empty is an empty object', async () => {
    const { events } = await ask(result({ principalId: 'me', policyDocument: policy('Allow') }))
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

describe('Policies', () => {
  const allow = policy('Allow', '*').Statement[0]
  const deny = policy('Deny', methodArn).Statement[0]
  test.each([
    ['an explicit Deny goes before an Allow', { Statement: [allow, deny] }, 'deny'],
    ['one statement need not be in a list', { Statement: allow }, 'allow'],
    ['* in an ARN crosses slashes', policy('Allow', 'arn:aws:execute-api:us-east-1:*:abcdef1234/v1/*'), 'allow'],
    ['? stands for one character', policy('Allow', methodArn.replace('7', '?')), 'allow'],
    ['* stands for nothing too', policy('Allow', `${methodArn}*`), 'allow'],
    ['* covers every path of a stage', policy('Allow', `${stageArn}/*`), 'allow'],
    ['* covers no other stage', policy('Allow', `${stageArn.replace('/v1', '/v2')}/*`), 'deny'],
    ['resources have a case', policy('Allow', methodArn.replace('pets', 'Pets')), 'deny'],
    ['actions have none', { Statement: [{ ...allow, Action: 'EXECUTE-API:invoke' }] }, 'allow'],
    [
      'a resource of 512 characters is read',
      policy('Allow', `${methodArn}${'*'.repeat(512 - methodArn.length)}`),
      'allow',
    ],
    ['a longer one is malformed', policy('Allow', `${methodArn}${'*'.repeat(513 - methodArn.length)}`), 'malformed'],
    [
      'a longer one in a list is malformed',
      { Statement: [{ ...allow, Resource: ['*', '*'.repeat(513)] }] },
      'malformed',
    ],
    ['a variable without a value matches nothing', policy('Allow', '${aws:username}*'), 'deny'],
    [
      'it takes no other resource with it',
      { ...policy('Allow'), Statement: [{ ...allow, Resource: ['${x}', '*'] }] },
      'allow',
    ],
    ['. stands for itself only', policy('Allow', methodArn.replace('7', '.')), 'deny'],
    ['another action allows nothing', { Statement: [{ ...allow, Action: 's3:*' }] }, 'deny'],
    ['no statement allows nothing', { Statement: [] }, 'deny'],
    ['a statement without a resource is malformed', { Statement: [{ Effect: 'Allow', Action: '*' }] }, 'malformed'],
  ])('%s', (_name, document, decision) => {
    expect(evaluatePolicy(document, methodArn)).toBe(decision)
  })

  test.each([
    ['${*}', '*', 'allow'],
    ['${*}', 'x', 'deny'],
    ['${?}', '?', 'allow'],
    ['${?}', 'x', 'deny'],
    ['${$}{x}', '${x}', 'allow'],
    ['${x}', '${x}', 'deny'],
    ['${x', '${x', 'allow'],
  ])('%s in a resource and %s in the path: %s', (inResource, inPath, decision) => {
    expect(evaluatePolicy(policy('Allow', stageArn + inResource), stageArn + inPath)).toBe(decision)
  })

  test('of the older version have no variables', () => {
    const older = { ...policy('Allow', `${stageArn}/\${x}`), Version: '2008-10-17' }
    expect(evaluatePolicy(older, `${stageArn}/\${x}`)).toBe('allow')
  })

  test('are evaluated at once, however many wildcards there are', () => {
    const resource = `${stageArn}/${'*a'.repeat(200)}`
    expect(evaluatePolicy(policy('Allow', resource), `${stageArn}/${'a'.repeat(5_000)}b`)).toBe('deny')
  })
})
