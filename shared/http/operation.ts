import middy from '@middy/core'
import { type Clock, systemClock, timeoutMarginMilliseconds } from '../clock.ts'
import { deprecation } from './deprecation.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import { jsonBody } from './json-body.ts'
import { refuseOutOfScope, refuseOverLimit } from './limit-context.ts'
import type { OperationContract, OperationInput } from './operation-contract.ts'
import { readInput } from './read-input.ts'
import { errorResponse, gatewayResult, type OperationResponse, unavailable } from './response.ts'
import { addHeaders, commonHeaders } from './response-headers.ts'

export type Run<Contract extends OperationContract> = (
  input: OperationInput<Contract>,
  event: GatewayEvent,
) => Promise<OperationResponse>

/**
 * The Lambda handler of an operation of the contract. `run` receives valid input; `errorResponse` turns what it throws
 * into a response. The middlewares run in this order before it, and in the opposite order after it.
 */
export const operation = <Contract extends OperationContract>(
  contract: Contract,
  run: Run<Contract>,
  clock: Clock = systemClock,
) =>
  limitedHandler()
    .use(refuseOutOfScope(contract.method))
    .use(contract.deprecation === null ? [] : deprecation(contract.deprecation, clock))
    .use(errorResponse())
    .use(contract.takesBody ? jsonBody() : [])
    .handler(async (event: GatewayEvent) => {
      const { status, body, headers } = await run(readInput(contract, event), event)
      return gatewayResult(status, body, headers)
    })

/** The Lambda handler of an operation that only refuses, whatever the request contains: it is reserved, or does not exist. */
export const refusingOperation = (refuse: (event: GatewayEvent) => never) =>
  limitedHandler()
    .use(errorResponse())
    .handler(async (event: GatewayEvent): Promise<GatewayResult> => refuse(event))

const limitedHandler = () =>
  middy<GatewayEvent, GatewayResult>({
    timeoutEarlyInMillis: timeoutMarginMilliseconds,
    timeoutEarlyResponse: () => {
      throw unavailable(new Error('The operation did not end before the timeout of the function.'))
    },
  })
    .use(addHeaders(commonHeaders))
    .use(refuseOverLimit())
