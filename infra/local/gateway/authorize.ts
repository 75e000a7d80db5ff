import { localRegion } from '../../operations/target/local-database.ts'
import { isObject } from '../../synthesis/json.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import { describeError } from '../lambda/invocation.ts'
import { localAccount } from '../template/physical-names.ts'
import type { RestApi } from '../template/rest-api.ts'
import type { GatewayResponseType } from './gateway-response.ts'
import { evaluatePolicy } from './policy.ts'
import { authorizerEvent } from './proxy-event.ts'
import type { Authorized, Routed } from './request.ts'

/**
 * Invokes the method's Lambda authorizer, "Use API Gateway Lambda authorizers": throwing exactly
 * `Unauthorized` is a 401, any other error a 500, a policy that does not allow the method a 403.
 */
export const authorize = async (
  api: RestApi,
  request: Routed,
  functions: FunctionInvoker,
): Promise<Authorized | GatewayResponseType> => {
  const { authorizer } = request.method
  if (authorizer === undefined) {
    return { ...request, principalId: undefined, authorizerContext: {}, usageIdentifierKey: undefined }
  }
  const arn = methodArn(api, request)
  const outcome = await functions.invoke(authorizer.functionName, JSON.stringify(authorizerEvent(api, request, arn)))
  if (outcome.kind === 'error') {
    if (outcome.errorMessage === 'Unauthorized') return 'UNAUTHORIZED'
    functions.report(authorizer.functionName, describeError(outcome))
    return 'AUTHORIZER_CONFIGURATION_ERROR'
  }
  const parsed: unknown = JSON.parse(outcome.payload)
  const result = isObject(parsed) ? parsed : {}
  const decision = evaluatePolicy(result['policyDocument'], arn)
  const authorizerContext = readContext(result['context'])
  if (decision === 'invalid' || authorizerContext === undefined) {
    functions.report(
      authorizer.functionName,
      `The authorizer gave ${decision === 'invalid' ? 'a policy that the local gateway cannot read' : 'an invalid context'}.`,
    )
    return 'AUTHORIZER_CONFIGURATION_ERROR'
  }
  if (decision === 'deny') return 'ACCESS_DENIED'
  return {
    ...request,
    principalId: textIn(result['principalId']),
    authorizerContext,
    usageIdentifierKey: textIn(result['usageIdentifierKey']),
  }
}

/** The ARN that the policy is evaluated for. Its path is the caller's, not the resource's. */
const methodArn = (api: RestApi, { httpMethod, path }: Routed): string =>
  `arn:aws:execute-api:${localRegion}:${localAccount}:${api.id}/${api.stageName}/${httpMethod}${path}`

/** @returns undefined where a value is no string, number or boolean */
const readContext = (context: unknown): Authorized['authorizerContext'] | undefined => {
  if (context === undefined || context === null) return {}
  if (!isObject(context)) return undefined
  const entries = Object.entries(context)
  if (entries.some(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))) return undefined
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
