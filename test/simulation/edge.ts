import { createGateway } from '../../infra/local/gateway/gateway.ts'
import type { HttpResponse, ReceivedRequest } from '../../infra/local/gateway/request.ts'
import type { FunctionInvoker } from '../../infra/local/lambda/function-host.ts'
import type { RestApi } from '../../infra/local/template/rest-api.ts'
import type { ErrorCode } from '../../shared/contract/generated/errors.ts'
import type { EdgeRefusal, SimulatedGatewayKeys } from './gateway-keys.ts'

/** A response of the API, whose body is text. */
export type ApiResponse = HttpResponse & { readonly body: string }

/** Reads the code of an error response; undefined for a success. */
export const readCode = ({ status, body }: Pick<ApiResponse, 'status' | 'body'>): ErrorCode | undefined =>
  status < 400 ? undefined : JSON.parse(body).code

/** The parts of an authorizer's result that say whether and on which gateway key a request is metered. */
interface AuthorizerResult {
  readonly policyDocument: { readonly Statement: readonly { readonly Effect: string }[] }
  readonly usageIdentifierKey?: string
}

/** Ends a request that a usage plan refuses. */
class RefusedByEdge extends Error {
  readonly type: EdgeRefusal

  constructor(type: EdgeRefusal) {
    super(type)
    this.type = type
  }
}

interface EdgeOptions {
  readonly restApi: RestApi
  readonly functions: FunctionInvoker
  readonly gatewayKeys: SimulatedGatewayKeys
}

export type Edge = ReturnType<typeof createEdge>

/**
 * Creates API Gateway: the local gateway, and the usage plans, which the local gateway does not have.
 *
 * Unlike API Gateway on AWS it has no throttle of a method or of the account, and no firewall.
 */
export const createEdge = ({ restApi, functions, gatewayKeys }: EdgeOptions) => {
  /** Invokes a function. Between the authorizer and the operation, a usage plan meters the request. */
  const invoke: FunctionInvoker['invoke'] = async (name, event) => {
    const outcome = await functions.invoke(name, event)
    if (name !== 'authorizer' || outcome.kind === 'error') return outcome

    const result: AuthorizerResult = JSON.parse(outcome.payload)
    const isAllowed = result.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow')
    if (!isAllowed) return outcome
    const apiKey = readApiKey(JSON.parse(event).multiValueHeaders)
    const refusal = await gatewayKeys.meter(apiKey, result.usageIdentifierKey ?? '')
    if (refusal !== undefined) throw new RefusedByEdge(refusal)
    return outcome
  }

  const respond = createGateway({ api: restApi, functions: { invoke, report: functions.report } })

  return async (request: ReceivedRequest): Promise<ApiResponse> => {
    try {
      const { body, ...response } = await respond(request)
      if (typeof body !== 'string') throw new Error(`${request.rawPath} is no path of the API.`)
      return { ...response, body }
    } catch (error) {
      if (!(error instanceof RefusedByEdge)) throw error
      const response = restApi.gatewayResponses.get(error.type)
      if (response === undefined) throw new Error(`The template has no gateway response ${error.type}.`)
      // API Gateway adds the type of a gateway response, as the local gateway does.
      return { ...response, headers: Object.entries({ 'Content-Type': 'application/json', ...response.headers }) }
    }
  }
}

/** Reads the API key that a request names. */
export const readApiKey = (headers: ReceivedRequest['headers']): string =>
  headers['authorization']?.[0]?.slice('Bearer '.length) ?? ''
