import { createServer } from 'node:http'
import { TransactionInProgressException } from '@aws-sdk/client-dynamodb'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { BoundedRetries, createDocumentClient } from '../../../../shared/dynamodb/document-client.ts'
import { createCancellation } from '../../../fixtures/database/clients.ts'

type Failure = Parameters<BoundedRetries['refreshRetryTokenForRetry']>[1]

/** Creates a failure. Its cast: the SDK's own error has more properties. */
const failWith = (error: Error, errorType: Failure['errorType']): Failure => ({
  errorType,
  error: error as NonNullable<Failure['error']>,
})

/** Sends a call that always fails, until the strategy allows no further retry. @returns how often it is sent */
const countSent = async (strategy: BoundedRetries, failure: Failure): Promise<number> => {
  // The shortest waits.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  let token = await strategy.acquireInitialRetryToken('')
  for (let sent = 1; ; sent += 1) {
    try {
      token = await strategy.refreshRetryTokenForRetry(token, failure)
    } catch {
      return sent
    }
  }
}

const lost: Failure = { errorType: 'TRANSIENT' }

it.each([
  { call: 'throttled', failure: { errorType: 'THROTTLING' } as const },
  { call: 'lost', failure: lost },
  { call: 'canceled as throttled', failure: failWith(createCancellation('None', 'ThrottlingError'), 'CLIENT_ERROR') },
])('a call that is always $call is sent three times', async ({ failure }) => {
  expect(await countSent(new BoundedRetries(), failure)).toBe(3)
})

it.each([
  { call: 'invalid', failure: failWith(new Error('It is invalid.'), 'CLIENT_ERROR') },
  {
    call: 'canceled by a condition',
    failure: failWith(createCancellation('ConditionalCheckFailed', 'ThrottlingError'), 'CLIENT_ERROR'),
  },
  // The SDK's own strategy would send these again. addPetOnce has the only loop for conflicts.
  {
    call: 'in conflict with another transaction',
    failure: failWith(createCancellation('None', 'TransactionConflict'), 'TRANSIENT'),
  },
  {
    call: 'in conflict with an earlier send of the same transaction',
    failure: failWith(new TransactionInProgressException({ message: 'in progress', $metadata: {} }), 'TRANSIENT'),
  },
])('a call that is $call is sent once', async ({ failure }) => {
  expect(await countSent(new BoundedRetries(), failure)).toBe(1)
})

it('a call is repeated after at most 100 and 200 milliseconds, whatever a response asks for', async () => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const strategy = new BoundedRetries()
  const failure: Failure = { errorType: 'THROTTLING', retryAfterHint: new Date(Date.now() + 60_000) }
  const first = await strategy.acquireInitialRetryToken('')

  const second = strategy.refreshRetryTokenForRetry(first, failure)
  await vi.advanceTimersByTimeAsync(100)
  const third = strategy.refreshRetryTokenForRetry(await second, failure)
  await vi.advanceTimersByTimeAsync(200)

  expect((await third).getRetryCount()).toBe(2)
})

it('calls of an outage are sent once when the retries of their client are used up', async () => {
  const strategy = new BoundedRetries()
  let sent = 3
  // A hundred calls need more retries than the client has.
  for (let call = 0; call < 100 && sent > 1; call += 1) sent = await countSent(strategy, lost)

  expect(sent).toBe(1)
})

it('a call that DynamoDB does not respond to fails after it was sent three times', async () => {
  let requests = 0
  const silentServer = createServer(() => {
    requests += 1
  })
  const port = await listen(silentServer, 0)
  onTestFinished(() => silentServer.closeAllConnections())
  onTestFinished(() => void silentServer.close())
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)

  const call = createDocumentClient().send(new GetCommand({ TableName: 'Pets', Key: { id: 1 } }))

  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(requests).toBe(3)
})
