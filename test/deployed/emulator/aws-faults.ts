import { type APIGatewayClient, ConflictException, TooManyRequestsException } from '@aws-sdk/client-api-gateway'

type Operation = 'CreateApiKey' | 'DeleteApiKey' | 'CreateUsagePlanKey'

/** What goes wrong with a call: it never arrives, or its response is lost and the SDK's retry meets a conflict. */
export type Fault = 'not sent' | 'response lost'

/**
 * Makes calls of API Gateway fail, in the middle of the real client.
 *
 * @param isFaulty is asked before each call of the operation, with its number from 1
 * @returns a function that ends it
 */
export const failCalls = (
  client: APIGatewayClient,
  operation: Operation,
  fault: Fault = 'not sent',
  isFaulty: (count: number) => boolean = () => true,
): (() => void) => {
  let count = 0
  const name = `fail ${operation}`
  client.middlewareStack.add(
    (next, context) => async (given) => {
      if (context['commandName'] !== `${operation}Command`) return next(given)
      count += 1
      if (!isFaulty(count)) return next(given)
      if (fault === 'not sent') throw new Error(`${operation} is unavailable.`)
      await next(given)
      throw new ConflictException({ message: 'API Key already exists', $metadata: {} })
    },
    { step: 'initialize', name, override: true },
  )
  return () => client.middlewareStack.remove(name)
}

/** Makes API Gateway throttle the first attempts of one call, where the SDK sees it. */
export const throttleFirst = (client: APIGatewayClient, attempts: number): (() => void) => {
  let count = 0
  const name = 'throttle'
  client.middlewareStack.add(
    (next) => async (given) => {
      count += 1
      if (count > attempts) return next(given)
      throw new TooManyRequestsException({ message: 'Too Many Requests', $metadata: { httpStatusCode: 429 } })
    },
    // Within each attempt of the SDK.
    { step: 'finalizeRequest', priority: 'low', name, override: true },
  )
  return () => client.middlewareStack.remove(name)
}
