import { type APIGatewayClient, ConflictException, TooManyRequestsException } from '@aws-sdk/client-api-gateway'

/**
 * Loses the response to the first call of an operation, so that the SDK's retry meets a conflict.
 *
 * @returns a function that ends it
 */
export const loseFirstResponse = (
  client: APIGatewayClient,
  operation: 'CreateApiKey' | 'CreateUsagePlanKey',
): (() => void) => {
  let isLost = false
  const name = `lose ${operation}`
  client.middlewareStack.add(
    (next, context) => async (given) => {
      const response = await next(given)
      if (context['commandName'] !== `${operation}Command` || isLost) return response
      isLost = true
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
