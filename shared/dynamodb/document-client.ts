import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { ConfiguredRetryStrategy } from '@smithy/core/retry'
import { parseNumberAttribute } from '../int64.ts'
import { isInConflict, isThrottled } from './unavailable.ts'

/**
 * Creates a document client that reads numbers exactly. With the SDK's default, one number beyond 2^53 would make a
 * whole page of items unreadable. An undefined value is not stored: a pet may lack an optional field, or one that
 * somebody has deleted by hand.
 */
export const toDocumentClient = (client: DynamoDBClient): DynamoDBDocumentClient => {
  // The SDK's logger copies each response, also where nothing is logged.
  client.middlewareStack.remove('loggerMiddleware')
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: parseNumberAttribute },
  })
}

type RefreshToken = ConfiguredRetryStrategy['refreshRetryTokenForRetry']

/**
 * Retry strategy of the functions. It repeats a throttled or lost call at most two times, after short waits, because a
 * caller waits for the response. The SDK's own strategy waits up to two seconds when DynamoDB throttles, and longer
 * when a response asks for that. Both strategies have a budget of retries, which runs out while DynamoDB is unavailable
 * for long.
 *
 * This strategy repeats no transaction in conflict, so that retries do not multiply: `addPetOnce` has the only loop for
 * conflicts. The SDK's strategy would repeat one kind, a conflict with an earlier send of the same transaction
 * (`TransactionInProgressException`).
 */
export class BoundedRetries extends ConfiguredRetryStrategy {
  constructor() {
    // A call is sent three times at most, after random waits of at most 100 and 200 ms.
    super(3, (retry) => Math.random() * 100 * retry)
  }

  /** Waits, and returns the token of the next retry. A time that the response asks to wait is not passed on. */
  override async refreshRetryTokenForRetry(
    token: Parameters<RefreshToken>[0],
    { error, errorType }: Parameters<RefreshToken>[1],
  ): ReturnType<RefreshToken> {
    // The SDK throws the error of the call in place of this one.
    if (isInConflict(error)) throw new Error('A call in conflict is not repeated.')
    return super.refreshRetryTokenForRetry(token, { errorType: isThrottled(error) ? 'THROTTLING' : errorType })
  }
}

/**
 * Creates a client whose calls end within about three seconds. A call is sent three times at most, and each time it is
 * given up after a second without a response. Only a response that arrives in parts takes longer: at most a second for
 * each further part.
 */
export const createDocumentClient = (): DynamoDBDocumentClient =>
  toDocumentClient(
    new DynamoDBClient({
      retryStrategy: new BoundedRetries(),
      requestHandler: { connectionTimeout: 500, socketTimeout: 1_000 },
    }),
  )
