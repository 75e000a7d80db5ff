import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { catalogue, type ErrorCode } from '../../shared/errors/catalogue.ts'
import type { AuthorizerContext } from '../../shared/http/authorizer-context.ts'
import { resourcesOf, synthesize } from './synthesized.ts'

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

/** The types that API Gateway answers with after the authorizer has let a request through or refused it. */
const afterAuthorizer = ['ACCESS_DENIED', 'INTEGRATION_FAILURE', 'INTEGRATION_TIMEOUT', 'QUOTA_EXCEEDED']

const figures: AuthorizerContext = {
  keyId: 'key-1',
  plan: 'free',
  rateLimitLimit: '60',
  rateLimitRemaining: '0',
  rateLimitReset: '1795257600',
  rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
  rateLimitWindows: '"minute";r=0;t=17, "day";r=412;t=40321',
  retryAfter: '17',
  dayLimit: '1000',
  dayReset: '1795305600',
  dayRetryAfter: '40321',
  errorCode: 'api_key_banned',
  errorMessage: catalogue.api_key_banned.message,
}

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

const isFigure = (key: string): key is keyof AuthorizerContext => Object.hasOwn(figures, key)

const figure = (key: string): string => {
  if (!isFigure(key)) throw new Error(`The authorizer hands on no ${key}.`)
  return figures[key]
}

/** As API Gateway does: plain substitution, without escaping. */
const bodyOf = (answer: Answer): { code: ErrorCode; message: string; status: number } =>
  JSON.parse(
    String(answer.templates['application/json']).replaceAll(/\$context\.authorizer\.(\w+)/g, (_, key) => figure(key)),
  )

const headerOf = (answer: Answer, name: string): string => {
  const value = String(answer.headers[name])
  const literal = /^'([^']*)'$/.exec(value)?.[1]
  return literal ?? figure(value.replace(/^context\.authorizer\./, ''))
}

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
    for (const name of required) expect(headerOf(answer, name), name).not.toBe('')
    expect(headerOf(answer, 'Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining')
  })

  it('read the figures of the authorizer only where it has certainly set them', () => {
    const reading = answers.filter((answer) => JSON.stringify(answer).includes('context.authorizer'))
    expect(reading.map(({ type }) => type).sort()).toEqual(afterAuthorizer)
  })

  it('show no allowance where no valid key was seen', () => {
    for (const answer of answers.filter(({ type }) => !afterAuthorizer.includes(type))) {
      for (const name of ['Limit', 'Remaining', 'Reset']) {
        expect(headerOf(answer, `X-RateLimit-${name}`), answer.type).toBe('0')
      }
    }
  })
})

describe('a refused request', () => {
  it('over its limit has the words and the figures of the authorizer', () => {
    const answer = answerOf('ACCESS_DENIED')
    expect(answer.status).toBe(429)
    expect(bodyOf(answer)).toEqual({ code: 'api_key_banned', message: figures.errorMessage, status: 429 })
    expect(headerOf(answer, 'X-RateLimit-Limit')).toBe('60')
    expect(headerOf(answer, 'X-RateLimit-Remaining')).toBe('0')
    expect(headerOf(answer, 'X-RateLimit-Reset')).toBe('1795257600')
    expect(headerOf(answer, 'RateLimit-Policy')).toBe(figures.rateLimitPolicy)
    expect(headerOf(answer, 'RateLimit')).toBe(figures.rateLimitWindows)
    expect(headerOf(answer, 'Retry-After')).toBe('17')
  })

  it.each([
    ['THROTTLED', '1'],
    ['QUOTA_EXCEEDED', '40321'],
  ])('over its usage plan shows none remaining: %s', (type, retryAfter) => {
    const answer = answerOf(type)
    expect(bodyOf(answer).code).toBe('rate_limit_exceeded')
    expect(headerOf(answer, 'X-RateLimit-Remaining')).toBe('0')
    expect(headerOf(answer, 'Retry-After')).toBe(retryAfter)
  })

  it('over the daily quota of its usage plan shows the figures of the day', () => {
    const answer = answerOf('QUOTA_EXCEEDED')
    expect(headerOf(answer, 'X-RateLimit-Limit')).toBe(figures.dayLimit)
    expect(headerOf(answer, 'X-RateLimit-Reset')).toBe(figures.dayReset)
  })

  it.each(['AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR'])(
    'that the authorizer could not decide on is asked to come again: %s',
    (type) => {
      const answer = answerOf(type)
      expect(bodyOf(answer)).toMatchObject({ code: 'service_unavailable', status: 503 })
      expect(headerOf(answer, 'Retry-After')).toBe('1')
    },
  )

  it.each([
    ['UNAUTHORIZED', 'unauthorized'],
    ['EXPIRED_TOKEN', 'unauthorized'],
    ['INVALID_SIGNATURE', 'unauthorized'],
    ['INVALID_API_KEY', 'api_key_not_ready'],
  ])('without a good key learns how to authenticate: %s', (type, code) => {
    const answer = answerOf(type)
    expect(bodyOf(answer)).toMatchObject({ code, status: 401 })
    expect(headerOf(answer, 'WWW-Authenticate')).toBe('Bearer')
  })
})

describe('the deployment', () => {
  it('waits for the gateway responses, which apply from a deployment on', () => {
    const [deployment] = Object.values(resourcesOf(api, 'AWS::ApiGateway::Deployment'))
    const ids = Object.keys(resourcesOf(api, 'AWS::ApiGateway::GatewayResponse'))
    expect(deployment?.['DependsOn']).toEqual(expect.arrayContaining(ids))
  })
})
