import { localRegion } from '../../operations/target/local-database.ts'
import { isObject } from '../../synthesis/json.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import { describeError } from '../lambda/invocation.ts'
import { localAccount } from '../template/physical-names.ts'
import type { RestApi } from '../template/rest-api.ts'
import { authorizerEvent } from './proxy-event.ts'
import type { Authorized, Routed } from './request.ts'
import type { GatewayResponseType } from './responses.ts'

/**
 * Invokes the method's Lambda authorizer, "Use API Gateway Lambda authorizers": throwing exactly
 * `Unauthorized` is a 401, any other error a 500, a policy that does not allow the method a 403. What API Gateway checks
 * of its own API keys afterwards is only that there is one: usage plans are not emulated.
 */
export const authorize = async (
  api: RestApi,
  request: Routed,
  functions: FunctionInvoker,
): Promise<Authorized | GatewayResponseType> => {
  const { authorizer, apiKeyRequired } = request.method
  if (authorizer === undefined) return { ...request, authorizer: undefined }
  const { functionName } = authorizer
  const startedAt = performance.now()
  // Its path is the caller's, not the resource's.
  const methodArn = `arn:aws:execute-api:${localRegion}:${localAccount}:${api.id}/${api.stageName}/${request.httpMethod}${request.path}`
  const outcome = await functions.invoke(functionName, JSON.stringify(authorizerEvent(api, request, methodArn)))
  if (outcome.kind === 'error') {
    if (outcome.errorMessage === 'Unauthorized') return 'UNAUTHORIZED'
    functions.report(functionName, describeError(outcome))
    return 'AUTHORIZER_CONFIGURATION_ERROR'
  }
  const parsed: unknown = JSON.parse(outcome.payload)
  const { policyDocument, context, principalId, usageIdentifierKey } = isObject(parsed) ? parsed : {}
  const decision = evaluatePolicy(policyDocument, methodArn)
  const values = readContext(context)
  if (decision === 'invalid' || values === undefined) {
    const what = decision === 'invalid' ? 'a policy that the local gateway cannot read' : 'an invalid context'
    functions.report(functionName, `The authorizer gave ${what}.`)
    return 'AUTHORIZER_CONFIGURATION_ERROR'
  }
  if (decision === 'deny') return 'ACCESS_DENIED'
  if (apiKeyRequired && typeof usageIdentifierKey !== 'string') return 'INVALID_API_KEY'
  const integrationLatency = Math.round(performance.now() - startedAt)
  return {
    ...request,
    authorizer: { ...values, ...(typeof principalId === 'string' && { principalId }), integrationLatency },
  }
}

/** @returns the values as strings; undefined where one is no string, number or boolean */
const readContext = (context: unknown): Readonly<Record<string, string>> | undefined => {
  if (context === undefined || context === null) return {}
  if (!isObject(context)) return undefined
  const entries = Object.entries(context)
  if (entries.some(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))) return undefined
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

/** "Output from an API Gateway Lambda authorizer": the longest ARN in a policy's Resource, in characters. */
const maximumResourceLength = 512

/**
 * What an authorizer's IAM policy decides about one method ARN. "Output from an API Gateway Lambda
 * authorizer": an explicit Deny goes before any Allow, and what nothing allows is denied.
 *
 * @returns `invalid` also for what the local gateway does not support: another form than a list of statements with one
 * action and one resource, policy variables, and wildcards but for one `*` at the end of the resource
 */
const evaluatePolicy = (policy: unknown, methodArn: string): 'allow' | 'deny' | 'invalid' => {
  const statements = isObject(policy) ? policy['Statement'] : undefined
  if (!Array.isArray(statements) || !statements.every(isStatement)) return 'invalid'
  const matching = statements.filter(({ Resource }) =>
    Resource.endsWith('*') ? methodArn.startsWith(Resource.slice(0, -1)) : methodArn === Resource,
  )
  if (matching.some(({ Effect }) => Effect === 'Deny')) return 'deny'
  return matching.length > 0 ? 'allow' : 'deny'
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Resource: string
}

const isStatement = (value: unknown): value is Statement => {
  if (!isObject(value)) return false
  const { Effect, Action, Resource } = value
  return (
    (Effect === 'Allow' || Effect === 'Deny') &&
    Action === 'execute-api:Invoke' &&
    typeof Resource === 'string' &&
    Resource.length <= maximumResourceLength &&
    /^[^*?$]*\*?$/.test(Resource)
  )
}
