import { UserError } from '../../command-line/user-error.ts'
import { asList, asNumber, asObject, asText, asTexts, type JsonObject } from '../../synthesis/json.ts'
import { functionNameIn } from './physical-names.ts'

export type Integration = ProxyIntegration | MockIntegration

export interface ProxyIntegration {
  readonly type: 'AWS_PROXY'
  readonly functionName: string
  readonly timeoutMilliseconds: number
}

export interface MockIntegration {
  readonly type: 'MOCK'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** API Gateway's own limit, and what it takes where the template says nothing. */
const defaultTimeoutMilliseconds = 29_000

/**
 * @param properties with the intrinsic functions resolved.
 * @throws UserError for an integration that the local gateway cannot serve.
 */
export const readIntegration = (method: string, properties: JsonObject): Integration => {
  if (properties['Type'] === 'MOCK') return readMock(method, properties)
  if (properties['Type'] !== 'AWS_PROXY') {
    throw new UserError(`${method} has an integration that is neither AWS_PROXY nor MOCK.`)
  }
  const functionName = functionNameIn(asText(properties['Uri'], `the integration URI of ${method}`))
  if (functionName === undefined) throw new UserError(`The integration of ${method} names no Lambda function.`)
  const timeoutMilliseconds = asNumber(properties['TimeoutInMillis'] ?? defaultTimeoutMilliseconds, 'TimeoutInMillis')
  return { type: 'AWS_PROXY', functionName, timeoutMilliseconds }
}

/** The response without a selection pattern is the one that API Gateway gives by default. */
const readMock = (method: string, properties: JsonObject): MockIntegration => {
  const response = asList(properties['IntegrationResponses'], 'IntegrationResponses')
    .map((item) => asObject(item, 'an integration response'))
    .find((item) => item['SelectionPattern'] === undefined)
  if (response === undefined) throw new UserError(`The MOCK integration of ${method} has no default response.`)
  const body = asTexts(response['ResponseTemplates'], 'ResponseTemplates')['application/json'] ?? ''
  if (/[$#]/.test(body))
    throw new UserError(`The MOCK response of ${method} is a VTL template, which runs on AWS only.`)
  const parameters = Object.entries(asTexts(response['ResponseParameters'], 'ResponseParameters'))
  return {
    type: 'MOCK',
    status: asNumber(response['StatusCode'], 'StatusCode'),
    headers: Object.fromEntries(
      parameters.map(([name, value]) => [name.replace('method.response.header.', ''), literal(name, value)]),
    ),
    body,
  }
}

const literal = (name: string, value: string): string => {
  const text = /^'(.*)'$/.exec(value)?.[1]
  if (text === undefined) throw new UserError(`${name} of a MOCK response must be a literal in single quotes.`)
  return text
}
