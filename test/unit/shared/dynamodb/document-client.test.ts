import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, vi } from 'vitest'
import { createDocumentClient } from '../../../../shared/dynamodb/document-client.ts'

/** A method of the SDK's handler of requests that its type does not declare. */
interface ConfiguredHandler {
  /** Returns the limits of the requests, once the handler has sent one. */
  httpHandlerConfigs(): object
}

// test/promises/faults shows what becomes of requests while DynamoDB does not respond.
it('an attempt waits half a second for a connection, and a second for each part of the response', async () => {
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1')
  const client = createDocumentClient()
  await expect(client.send(new GetCommand({ TableName: 'Pets', Key: { id: 1 } }))).rejects.toThrow('ECONNREFUSED')

  const handler = client.config.requestHandler as typeof client.config.requestHandler & ConfiguredHandler

  expect(handler.httpHandlerConfigs()).toMatchObject({
    connectionTimeout: 500,
    requestTimeout: 1_000,
    throwOnRequestTimeout: true,
    socketTimeout: 1_000,
  })
})
