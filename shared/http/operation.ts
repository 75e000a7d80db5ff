/**
 * The Lambda handlers of operations, on middy. Of middy's middlewares only http-json-body-parser is used. Files of this
 * folder stand in the place of five others, so that each error is one of the catalogue
 * (`shared/contract/generated/errors.ts`), and each integer is exact:
 *
 * - `response/response.ts` replaces http-error-handler, error-logger and http-response-serializer.
 * - `response/response-headers.ts` replaces http-cors.
 * - `request/request-headers.ts` replaces http-header-normalizer.
 * - `request/request-path.ts` replaces http-urlencode-path-parser.
 * - `request/read-input.ts` replaces validator.
 */
import middy from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { type Clock, systemClock } from '../clock.ts'
import { createUnavailableError } from '../service-error.ts'
import { timeoutMarginMilliseconds } from '../timeouts.ts'
import { addDeprecationHeaders, refuseRemoved } from './deprecation.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import type { OperationContract, OperationInput, OperationSuccess } from './operation-contract.ts'
import { limitBody, readExactIntegers } from './request/body.ts'
import { readInput } from './request/read-input.ts'
import { type Refusal, refuseOutOfScope, refuseUnlessAdmitted, refuseWithoutContext } from './request/refusals.ts'
import { formatGatewayResult, respond } from './response/response.ts'
import { type CreateHeaders, createCommonHeaders } from './response/response-headers.ts'

/**
 * Runs an operation on valid input, for a caller whose key allows the request.
 *
 * @param signal is aborted when the time of the request is over; calls to DynamoDB end with it
 * @returns a successful response of the contract
 * @throws ServiceError, or any other error, which becomes an error response
 */
export type RunOperation<Contract extends OperationContract> = (
  input: OperationInput<Contract>,
  event: GatewayEvent,
  signal: AbortSignal,
) => Promise<OperationSuccess<Contract['operationId']>>

/**
 * Creates the Lambda handler of an operation of the contract.
 *
 * @example export const handler = createOperationHandler(getPet, async ({ path }) => ok(await pets.find(path.petId)))
 */
export const createOperationHandler = <Contract extends OperationContract>(
  contract: Contract,
  run: RunOperation<Contract>,
  clock: Clock = systemClock,
) => {
  const createHeaders = addDeprecationHeaders(contract.deprecation, createCommonHeaders)
  const operationRefusals = [refuseOutOfScope(contract.method), refuseRemoved(contract.deprecation, clock)]
  // limitBody checks the Content-Type. The parser's own check misses the header in other cases, such as CONTENT-TYPE.
  const jsonBodyParser = httpJsonBodyParser<GatewayEvent>({ disableContentTypeCheck: true })
  const bodyParsers = contract.takesBody ? [limitBody(), jsonBodyParser, readExactIntegers()] : []

  return createBaseHandler(contract.operationId, createHeaders, operationRefusals)
    .use(bodyParsers)
    .handler(async (event: GatewayEvent, _context, { signal }) => {
      const input = readInput(contract, event)
      const response = await run(input, event, signal)
      return formatGatewayResult(response)
    })
}

/**
 * Creates the Lambda handler of an operation that is reserved or does not exist. It authenticates and limits requests
 * like any other operation, and then throws the error of `refuse`, whatever the request contains.
 *
 * @param operation name of the operation, for the log
 */
export const createRefusingHandler = (operation: string, refuse: (event: GatewayEvent) => never) =>
  createBaseHandler(operation, createCommonHeaders, []).handler(
    async (event: GatewayEvent): Promise<GatewayResult> => refuse(event),
  )

/** Creates the part of a handler that all operations have: timeout, error responses, common headers and refusals. */
const createBaseHandler = (operation: string, createHeaders: CreateHeaders, operationRefusals: readonly Refusal[]) => {
  // `refuseWithoutContext` comes first, because the others trust the authorizer's context.
  const refusals = [refuseWithoutContext, refuseUnlessAdmitted, ...operationRefusals]

  return (
    middy<GatewayEvent, GatewayResult>({
      timeoutEarlyInMillis: timeoutMarginMilliseconds,
      timeoutEarlyResponse: () => {
        // `respond` turns the error into a response.
        throw createUnavailableError(new Error('The operation did not end before the timeout of the function.'))
      },
    })
      // `respond` comes first: it wraps everything after it and turns errors into responses.
      .use(respond(operation, createHeaders))
      .before(({ event }) => {
        for (const refuse of refusals) refuse(event)
      })
  )
}
