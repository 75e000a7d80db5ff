import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { catalogue, type ErrorCode } from '../../../../../shared/errors/catalogue.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

/** The AWS document "Gateway response types for API Gateway", of November 2026. */
const allTypes = [
  'ACCESS_DENIED',
  'API_CONFIGURATION_ERROR',
  'AUTHORIZER_CONFIGURATION_ERROR',
  'AUTHORIZER_FAILURE',
  'BAD_REQUEST_BODY',
  'BAD_REQUEST_PARAMETERS',
  'DEFAULT_4XX',
  'DEFAULT_5XX',
  'EXPIRED_TOKEN',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
  'INVALID_API_KEY',
  'INVALID_SIGNATURE',
  'MISSING_AUTHENTICATION_TOKEN',
  'QUOTA_EXCEEDED',
  'REQUEST_TOO_LARGE',
  'RESOURCE_NOT_FOUND',
  'THROTTLED',
  'UNAUTHORIZED',
  'UNSUPPORTED_MEDIA_TYPE',
  'WAF_FILTERED',
]

interface Answer {
  readonly type: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly templates: Readonly<Record<string, string>>
}

const { api } = synthesize('staging')

/** As in the template: nothing is rendered yet. */
const answers: readonly Answer[] = Object.values(resourcesOf(api, 'AWS::ApiGateway::GatewayResponse')).map(
  ({ Properties }) => {
    const { ResponseType, StatusCode, ResponseParameters, ResponseTemplates } = JSON.parse(JSON.stringify(Properties))
    return {
      type: ResponseType,
      status: Number(StatusCode),
      headers: Object.fromEntries(
        Object.entries<string>(ResponseParameters).map(([name, value]) => [
          name.replace('gatewayresponse.header.', ''),
          value,
        ]),
      ),
      templates: ResponseTemplates,
    }
  },
)

const answerOf = (type: string): Answer => {
  const answer = answers.find((candidate) => candidate.type === type)
  if (answer === undefined) throw new Error(`${type} is not customised.`)
  return answer
}

const bodyOf = (answer: Answer): { code: ErrorCode; message: string; status: number } =>
  JSON.parse(String(answer.templates['application/json']))

/** The value of a header: API Gateway takes a fixed one in single quotes. */
const headerOf = (answer: Answer, name: string): string | undefined =>
  /^'([^']*)'$/.exec(String(answer.headers[name]))?.[1]

const { document, resolve } = readContract()
const isError = new Ajv2020({ strict: false, validateFormats: false })
  .addSchema({ $id: 'contract', ...document })
  .getSchema('contract#/components/schemas/Error')

describe('the answers that API Gateway gives by itself', () => {
  it('are all customised', () => {
    expect(answers.map(({ type }) => type).sort()).toEqual(allTypes)
  })

  it.each(allTypes)('are errors of the catalogue: %s', (type) => {
    const answer = answerOf(type)
    const body = bodyOf(answer)
    expect(Object.keys(answer.templates)).toEqual(['application/json'])
    expect(isError?.(body), JSON.stringify(isError?.errors)).toBe(true)
    expect(body.message).toBe(catalogue[body.code].message)
    expect(body.status).toBe(catalogue[body.code].status)
    expect(answer.status).toBe(body.status)
  })

  it.each(allTypes)('have the headers that the contract requires: %s', (type) => {
    const answer = answerOf(type)
    const { code } = bodyOf(answer)
    const responses = Object.values(resolve({ $ref: '#/components/responses' })).map((response) => resolve(response))
    const documented = responses.find((response) => JSON.stringify(response).includes(`"code":"${code}"`))
    const required = Object.entries(resolve(documented?.['headers'])).flatMap(([name, header]) =>
      resolve(header)['required'] === true ? [name] : [],
    )
    expect(required).toContain('X-RateLimit-Limit')
    for (const name of required) expect(headerOf(answer, name), name).toMatch(/./)
    expect(headerOf(answer, 'Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining')
  })

  it('are static: every header is a literal, and no body has a variable', () => {
    for (const answer of answers) {
      for (const name of Object.keys(answer.headers))
        expect(headerOf(answer, name), `${answer.type} ${name}`).toBeDefined()
      expect(JSON.stringify(answer.templates), answer.type).not.toMatch(/\$|context\./)
    }
  })

  it.each(allTypes)('show the limits as a 401 does: %s', (type) => {
    for (const name of ['Limit', 'Remaining', 'Reset'])
      expect(headerOf(answerOf(type), `X-RateLimit-${name}`)).toBe('0')
  })

  it.each([
    ['THROTTLED', 'rate_limit_exceeded', '1'],
    ['QUOTA_EXCEEDED', 'rate_limit_exceeded', '60'],
    ['AUTHORIZER_FAILURE', 'service_unavailable', '1'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 'service_unavailable', '1'],
    ['INTEGRATION_FAILURE', 'service_unavailable', '1'],
  ])('say when to retry where the request may succeed later: %s', (type, code, retryAfter) => {
    expect(bodyOf(answerOf(type)).code).toBe(code)
    expect(headerOf(answerOf(type), 'Retry-After')).toBe(retryAfter)
  })

  it('are 504 where a function took too long', () => {
    expect(bodyOf(answerOf('INTEGRATION_TIMEOUT'))).toMatchObject({ code: 'gateway_timeout', status: 504 })
  })

  it.each([
    ['UNAUTHORIZED', 'unauthorized'],
    ['EXPIRED_TOKEN', 'unauthorized'],
    ['INVALID_SIGNATURE', 'unauthorized'],
    ['INVALID_API_KEY', 'api_key_not_ready'],
  ])('say how to authenticate where there is no good key: %s', (type, code) => {
    expect(bodyOf(answerOf(type))).toMatchObject({ code, status: 401 })
    expect(headerOf(answerOf(type), 'WWW-Authenticate')).toBe('Bearer')
  })
})

/** The resources of a type that depend on another one of it, from the first to the last. */
const chainOf = (resources: ReturnType<typeof resourcesOf>): readonly string[] => {
  const dependenciesOf = (id: string) =>
    [resources[id]?.['DependsOn'] ?? []].flat().filter((other) => Object.hasOwn(resources, String(other)))
  const chain: string[] = []
  for (let next: string | undefined = Object.keys(resources).find((id) => dependenciesOf(id).length === 0); next; ) {
    const last: string = next
    chain.push(last)
    next = Object.keys(resources).find((id) => dependenciesOf(id).includes(last))
  }
  return chain
}

describe('a deployment', () => {
  it.each(['AWS::ApiGateway::GatewayResponse', 'AWS::ApiGateway::UsagePlan'])(
    'creates one resource of %s at a time',
    (type) => {
      const resources = resourcesOf(api, type)
      expect(chainOf(resources).toSorted()).toEqual(Object.keys(resources).toSorted())
    },
  )
})

describe('the deployment', () => {
  it('waits for the gateway responses, which apply from a deployment on', () => {
    const [deployment] = Object.values(resourcesOf(api, 'AWS::ApiGateway::Deployment'))
    const ids = Object.keys(resourcesOf(api, 'AWS::ApiGateway::GatewayResponse'))
    expect(deployment?.['DependsOn']).toEqual(expect.arrayContaining(ids))
  })
})
