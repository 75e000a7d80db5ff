import { localRegion } from '../../operations/target/local-database.ts'
import { isObject, type JsonObject } from '../../synthesis/json.ts'
import { localAccount } from '../template/physical-names.ts'
import type { RestApi } from '../template/rest-api.ts'
import type { FunctionInvoker } from './function-ports.ts'
import { evaluatePolicy } from './policy.ts'
import { authorizerEvent } from './proxy-event.ts'
import { type Refused, refuse } from './refusal.ts'
import type { Authorized, AuthorizerValues, Routed } from './request.ts'

/**
 * Asks the method's Lambda authorizer, "Use API Gateway Lambda authorizers": throwing exactly
 * `Unauthorized` is a 401, any other error a 500, a policy that does not allow the method a refusal
 * with the authorizer's context.
 */
export const authorize = async (
  api: RestApi,
  request: Routed,
  ports: FunctionInvoker,
): Promise<Authorized | Refused> => {
  const { authorizer } = request.method
  if (authorizer === undefined) {
    return { ...request, principalId: undefined, authorizerValues: {}, usageIdentifierKey: undefined }
  }
  const arn = methodArn(api, request)
  const outcome = await ports.host.invoke(authorizer.functionName, JSON.stringify(authorizerEvent(api, request, arn)))
  if (outcome.kind === 'error') {
    if (outcome.errorMessage === 'Unauthorized') return refuse('UNAUTHORIZED')
    ports.report(authorizer.functionName, outcome.stack ?? `${outcome.errorType}: ${outcome.errorMessage}`)
    return refuse('AUTHORIZER_CONFIGURATION_ERROR')
  }
  const result: unknown = JSON.parse(outcome.payload)
  const decision = isObject(result) ? evaluatePolicy(result['policyDocument'], arn) : 'malformed'
  const authorizerValues = isObject(result) ? readContext(result['context']) : undefined
  if (!isObject(result) || decision === 'malformed' || authorizerValues === undefined) {
    ports.report(authorizer.functionName, 'The authorizer gave no valid policy or context.')
    return refuse('AUTHORIZER_CONFIGURATION_ERROR')
  }
  if (decision === 'deny') return refuse('ACCESS_DENIED', authorizerValues)
  return {
    ...request,
    principalId: textIn(result, 'principalId'),
    authorizerValues,
    usageIdentifierKey: textIn(result, 'usageIdentifierKey'),
  }
}

/** The ARN that the policy is evaluated for; its path is the caller's, not the resource's. */
const methodArn = (api: RestApi, { httpMethod, path }: Routed): string =>
  `arn:aws:execute-api:${localRegion}:${localAccount}:${api.id}/${api.stageName}/${httpMethod}${path}`

/** A context holds texts, numbers and booleans, and each of them is handed on as a text. */
const readContext = (context: unknown): AuthorizerValues | undefined => {
  if (context === undefined || context === null) return {}
  if (!isObject(context)) return undefined
  const entries = Object.entries(context)
  if (entries.some(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))) return undefined
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

const textIn = (result: JsonObject, name: string): string | undefined => {
  const value = result[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
