import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { parseNumberAttribute } from '../int64.ts'
import { createBoundedRetries, maximumAttemptsPerCall } from './bounded-retries.ts'

/**
 * Creates a client whose calls end within about three seconds. An attempt waits at most a second for the response to
 * begin, and at most a second for each further part of the response. No attempt begins late (`bounded-retries.ts`).
 */
export const createDocumentClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: maximumAttemptsPerCall,
      retryStrategy: createBoundedRetries(),
      requestHandler: {
        connectionTimeout: 500,
        // requestTimeout ends with the first byte of the response; after that, socketTimeout applies.
        requestTimeout: 1_000,
        throwOnRequestTimeout: true,
        socketTimeout: 1_000,
      },
    }),
    { unmarshallOptions: { wrapNumbers: parseNumberAttribute } },
  )
