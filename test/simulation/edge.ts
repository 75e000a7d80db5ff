import { createGateway } from '../../infra/local/gateway/gateway.ts'
import type { ReceivedRequest } from '../../infra/local/gateway/request.ts'
import type { FunctionInvoker } from '../../infra/local/lambda/function-host.ts'
import type { RestApi } from '../../infra/local/template/rest-api.ts'
import { type ApiResponse, isApiResponse } from './api-response.ts'
import type { Faults } from './faults.ts'
import type { EdgeRefusal, SimulatedGatewayKeys } from './gateway-keys.ts'
import type { VirtualTime } from './virtual-time.ts'

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

/** Learns how requests are metered. */
export interface EdgeObserver {
  /** @param usageIdentifierKey value of the gateway key on which the authorizer meters the request */
  onAuthorized(apiKey: string, usageIdentifierKey: string): Promise<void>
  /** A usage plan refuses a request that the authorizer has allowed. */
  onRefused(apiKey: string, type: EdgeRefusal): void
}

interface EdgeOptions {
  readonly restApi: RestApi
  readonly functions: FunctionInvoker
  readonly gatewayKeys: SimulatedGatewayKeys
  readonly observer: EdgeObserver
  readonly time: VirtualTime
  readonly faults: Faults
}

export type Edge = ReturnType<typeof createEdge>

/**
 * Creates API Gateway: the local gateway, and the usage plans, which the local gateway does not have.
 *
 * Unlike API Gateway on AWS it has no throttle of a method or of the account, and no firewall.
 */
export const createEdge = (options: EdgeOptions) => {
  const { restApi, functions, gatewayKeys, observer, time, faults } = options

  /** Invokes a function. Between the authorizer and the operation, a usage plan meters the request. */
  const invoke: FunctionInvoker['invoke'] = async (name, event) => {
    const outcome = await functions.invoke(name, event)
    if (name !== 'authorizer' || outcome.kind === 'error') return outcome

    const result: AuthorizerResult = JSON.parse(outcome.payload)
    const isAllowed = result.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow')
    if (isAllowed) await meter(readApiKey(JSON.parse(event).multiValueHeaders), result.usageIdentifierKey ?? '')
    return outcome
  }

  const meter = async (apiKey: string, usageIdentifierKey: string): Promise<void> => {
    await observer.onAuthorized(apiKey, usageIdentifierKey)
    await time.pause(faults.drawEdgeDelay())
    const refusal = gatewayKeys.meter(usageIdentifierKey)
    if (refusal === undefined) return
    observer.onRefused(apiKey, refusal)
    throw new RefusedByEdge(refusal)
  }

  const respond = createGateway({ api: restApi, functions: { invoke, report: functions.report } })

  return async (request: ReceivedRequest): Promise<ApiResponse> => {
    try {
      const response = await respond(request)
      if (!isApiResponse(response)) throw new Error(`${request.rawPath} is no path of the API.`)
      return response
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
