import middy from '@middy/core'
import { type Clock, systemClock } from '../clock.ts'
import { timeoutMarginMilliseconds } from '../spare-time.ts'
import { type Answer, gatewayResult } from './answer.ts'
import { answerHeaders } from './answer-headers.ts'
import { commonHeaders } from './common-headers.ts'
import { deprecation } from './deprecation.ts'
import { errorAnswer, unavailable } from './error-answer.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import { jsonBody } from './json-body.ts'
import type { OperationContract, OperationInput } from './operation-contract.ts'
import { readInput } from './read-input.ts'
import { refuseOverLimit } from './refuse-over-limit.ts'

export type Run<Contract extends OperationContract> = (
  input: OperationInput<Contract>,
  event: GatewayEvent,
) => Promise<Answer>

/**
 * The Lambda handler of an operation of the contract. What `run` receives is valid; what it throws is
 * answered by the error catalogue. Middlewares run in this order before it, and the other way round after.
 */
export const operation = <Contract extends OperationContract>(
  contract: Contract,
  run: Run<Contract>,
  clock: Clock = systemClock,
) =>
  answering()
    .use(contract.deprecation === null ? [] : deprecation(contract.deprecation, clock))
    .use(errorAnswer())
    .use(contract.takesBody ? jsonBody() : [])
    .handler(async (event: GatewayEvent) => {
      const { status, body, headers } = await run(readInput(contract, event), event)
      return gatewayResult(status, body, headers)
    })

/** The Lambda handler of what only refuses, whatever the request holds: a reserved operation, or none at all. */
export const refusal = (refuse: (event: GatewayEvent) => never) =>
  answering()
    .use(errorAnswer())
    .handler(async (event: GatewayEvent): Promise<GatewayResult> => refuse(event))

const answering = () =>
  middy<GatewayEvent, GatewayResult>({
    timeoutEarlyInMillis: timeoutMarginMilliseconds,
    timeoutEarlyResponse: () => {
      throw unavailable(new Error('The operation did not end before the timeout of the function.'))
    },
  })
    .use(answerHeaders(commonHeaders))
    .use(refuseOverLimit())
