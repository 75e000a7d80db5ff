import { UserError } from '../../command-line/user-error.ts'
import { asList, asNumber, asObject, type JsonObject } from '../../synthesis/json.ts'
import { namedFunction } from './physical-names.ts'
import { readStaticResponse, type StaticResponse } from './static-response.ts'

export type Integration = ProxyIntegration | MockIntegration

interface ProxyIntegration {
  readonly type: 'AWS_PROXY'
  readonly functionName: string
  readonly timeoutMilliseconds: number
}

interface MockIntegration {
  readonly type: 'MOCK'
  readonly response: StaticResponse
}

/** API Gateway's maximum, and its default. */
const defaultTimeoutMilliseconds = 29_000

/**
 * @param label the method, for messages
 * @param properties with the intrinsic functions resolved
 * @throws UserError for an integration that the local gateway does not support
 */
export const readIntegration = (label: string, properties: JsonObject): Integration => {
  switch (properties['Type']) {
    case 'AWS_PROXY':
      return {
        type: 'AWS_PROXY',
        functionName: namedFunction(properties['Uri'], `The integration of ${label}`),
        timeoutMilliseconds: asNumber(properties['TimeoutInMillis'] ?? defaultTimeoutMilliseconds, 'TimeoutInMillis'),
      }
    case 'MOCK':
      return { type: 'MOCK', response: readMockResponse(label, properties) }
    default:
      throw new UserError(`The integration of ${label} is neither AWS_PROXY nor MOCK.`)
  }
}

/** The response without a selection pattern is the default one. */
const readMockResponse = (label: string, properties: JsonObject): StaticResponse => {
  const response = asList(properties['IntegrationResponses'], 'IntegrationResponses')
    .map((item) => asObject(item, 'an integration response'))
    .find((item) => item['SelectionPattern'] === undefined)
  if (response === undefined) throw new UserError(`The MOCK integration of ${label} has no default response.`)
  return readStaticResponse(`the MOCK integration of ${label}`, response)
}
