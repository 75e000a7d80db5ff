import { localRegion } from '../../operations/target/local-database.ts'
import type { FunctionInvoker } from '../lambda/function-host.ts'
import type { RestApi } from '../template/rest-api.ts'
import { localAccount } from '../template/stacks.ts'
import { type Authorized, authorizerEvent, type GatewayResponseType, type Routed } from './request.ts'

/**
 * Invokes the method's Lambda authorizer, "Use API Gateway Lambda authorizers": throwing exactly `Unauthorized` is a 401, any
 * other error a 500, a policy that does not allow the method a 403. What API Gateway checks of its own API keys
 * afterwards is only that there is one: usage plans are not emulated.
 */
export const authorize = async (
  api: RestApi,
  request: Routed,
  functions: FunctionInvoker,
): Promise<Authorized | GatewayResponseType> => {
  const { authorizer, apiKeyRequired } = request.method
  if (authorizer === undefined) return { ...request, authorizer: undefined }
  // Its path is the caller's, not the resource's.
  const resource = `${api.id}/${api.stageName}/${request.httpMethod}${request.path}`
  const methodArn = `arn:aws:execute-api:${localRegion}:${localAccount}:${resource}`
  const outcome = await functions.invoke(authorizer, JSON.stringify(authorizerEvent(api, request, methodArn)))
  if (outcome.kind === 'error') {
    if (outcome.message === 'Unauthorized') return 'UNAUTHORIZED'
    functions.report(authorizer, outcome.log)
    return 'AUTHORIZER_CONFIGURATION_ERROR'
  }
  // One of another shape is an error below, which is printed.
  const { policyDocument, context, principalId, usageIdentifierKey }: AuthorizerResult = JSON.parse(outcome.payload)
  if (!isAllowed(policyDocument.Statement, methodArn)) return 'ACCESS_DENIED'
  if (apiKeyRequired && !usageIdentifierKey) return 'INVALID_API_KEY'
  const values = Object.entries({ ...context, principalId }).map(([name, value]) => [name, String(value)])
  return { ...request, authorizer: Object.fromEntries(values) }
}

/** What is read of "Output from an API Gateway Lambda authorizer". */
interface AuthorizerResult {
  readonly principalId: string
  readonly policyDocument: { readonly Statement: readonly Statement[] }
  readonly context?: Readonly<Record<string, string | number | boolean>>
  readonly usageIdentifierKey?: string
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Resource: string
}

/**
 * An explicit Deny goes before any Allow, and what nothing allows is denied. Of wildcards only one at the end of a resource
 * is supported; with another one the statement is for no method.
 */
const isAllowed = (statements: readonly Statement[], methodArn: string): boolean => {
  const matching = statements.filter(({ Resource }) =>
    Resource.endsWith('*') ? methodArn.startsWith(Resource.slice(0, -1)) : methodArn === Resource,
  )
  return matching.length > 0 && matching.every(({ Effect }) => Effect === 'Allow')
}
