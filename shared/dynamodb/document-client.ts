import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { parseNumberAttribute } from '../int64.ts'
import { createBoundedRetries, maximumAttemptsPerCall } from './bounded-retries.ts'

/**
 * Creates a document client that reads numbers exactly. Without it, one number beyond 2^53 would make the whole page of
 * its item unreadable. An undefined value is not stored: a pet lacks the fields that are optional, or that somebody has
 * deleted by hand.
 */
export const toDocumentClient = (client: DynamoDBClient): DynamoDBDocumentClient => {
  // The SDK's logger copies each response, also where nothing is logged.
  client.middlewareStack.remove('loggerMiddleware')
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: parseNumberAttribute },
  })
}

/**
 * Creates a client whose calls end within about three seconds. An attempt waits at most a second for the response to
 * begin, and at most a second for each further part of the response. No attempt begins late (`bounded-retries.ts`).
 */
export const createDocumentClient = (): DynamoDBDocumentClient =>
  toDocumentClient(
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
  )
