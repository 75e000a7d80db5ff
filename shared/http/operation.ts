import middy from '@middy/core'
import { type Clock, systemClock } from '../clock.ts'
import { createUnavailableError } from '../errors/service-error.ts'
import { timeoutMarginMilliseconds } from '../timeouts.ts'
import { addDeprecationHeaders, refuseRemoved } from './deprecation.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import { parseJsonBody } from './json-body.ts'
import type { OperationContract, OperationInput, OperationSuccess } from './operation-contract.ts'
import { readInput } from './read-input.ts'
import { type Refusal, refuseOutOfScope, refuseOverLimit, refuseWithoutContext } from './refusals.ts'
import { formatGatewayResult, respond } from './response.ts'
import { type CreateHeaders, createCommonHeaders } from './response-headers.ts'

export type Run<Contract extends OperationContract> = (
  input: OperationInput<Contract>,
  event: GatewayEvent,
) => Promise<OperationSuccess<Contract['operationId']>>

/**
 * The Lambda handler of an operation of the contract. `run` receives valid input from a caller who may send it, and
 * returns a response of the contract; what it throws becomes an error response.
 */
export const createOperationHandler = <Contract extends OperationContract>(
  contract: Contract,
  run: Run<Contract>,
  clock: Clock = systemClock,
) =>
  limitedHandler(addDeprecationHeaders(contract.deprecation, createCommonHeaders), [
    refuseOutOfScope(contract.method),
    refuseRemoved(contract.deprecation, clock),
  ])
    .use(contract.takesBody ? parseJsonBody() : [])
    .handler(async (event: GatewayEvent) => formatGatewayResult(await run(readInput(contract, event), event)))

/** The Lambda handler of an operation that only refuses, whatever the request contains: it is reserved, or does not exist. */
export const createRefusingHandler = (refuse: (event: GatewayEvent) => never) =>
  limitedHandler(createCommonHeaders, []).handler(async (event: GatewayEvent): Promise<GatewayResult> => refuse(event))

/** `respond` comes first: it is around all that follows, and what that throws. The refusals read no input. */
const limitedHandler = (headersOf: CreateHeaders, ownRefusals: readonly Refusal[]) => {
  const refusals = [refuseWithoutContext, refuseOverLimit, ...ownRefusals]
  return middy<GatewayEvent, GatewayResult>({
    timeoutEarlyInMillis: timeoutMarginMilliseconds,
    timeoutEarlyResponse: () => {
      throw createUnavailableError(new Error('The operation did not end before the timeout of the function.'))
    },
  })
    .use(respond(headersOf))
    .before(({ event }) => {
      for (const refuse of refusals) refuse(event)
    })
}
