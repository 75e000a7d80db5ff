import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from '../int64.ts'
import { boundedRetries, mostAttempts } from './bounded-retries.ts'

/**
 * A client whose every call ends within about three seconds, one way or the other: an attempt waits for a second at
 * most for the answer to begin, and for each further part of it, and no attempt begins late.
 */
export const documentClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: mostAttempts,
      retryStrategy: boundedRetries(),
      requestHandler: {
        connectionTimeout: 500,
        // Ends with the first byte of the answer; from then on the socket's own goes on.
        requestTimeout: 1_000,
        throwOnRequestTimeout: true,
        socketTimeout: 1_000,
      },
    }),
    { unmarshallOptions: { wrapNumbers: readNumber } },
  )
