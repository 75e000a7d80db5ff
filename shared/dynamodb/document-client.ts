import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from './numbers.ts'

/**
 * A client whose every call ends, one way or the other, before the function's own timeout: at most
 * three attempts of at most a second and a half each, with the SDK's jittered back-off between them.
 */
export const documentClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true },
    }),
    { unmarshallOptions: { wrapNumbers: readNumber } },
  )
