import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, onTestFinished, vi } from 'vitest'
import { BoundedRetries, createDocumentClient } from '../../../../shared/dynamodb/document-client.ts'

type Failure = Parameters<BoundedRetries['refreshRetryTokenForRetry']>[1]

/** Creates a failure that the SDK would not repeat. Its cast: the SDK's own error has more properties. */
const failWith = (error: Error): Failure => ({
  errorType: 'CLIENT_ERROR',
  error: error as NonNullable<Failure['error']>,
})

const createCancellation = (...codes: readonly string[]): Error =>
  new TransactionCanceledException({
    message: 'canceled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
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
  { call: 'canceled as throttled', failure: failWith(createCancellation('None', 'ThrottlingError')) },
])('a call that is always $call is sent three times', async ({ failure }) => {
  expect(await countSent(new BoundedRetries(), failure)).toBe(3)
})

it.each([
  { call: 'invalid', error: new Error('It is invalid.') },
  {
    call: 'canceled by a condition',
    error: createCancellation('ConditionalCheckFailed', 'ThrottlingError'),
  },
])('a call that is $call is sent once', async ({ error }) => {
  expect(await countSent(new BoundedRetries(), failWith(error))).toBe(1)
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
  for (let call = 0; call < 100 && sent > 1; call += 1) sent = await countSent(strategy, lost)

  expect(sent).toBe(1)
})

it('a call that DynamoDB does not respond to fails after it was sent three times', async () => {
  let requests = 0
  const silentServer = createServer(() => {
    requests += 1
  })
  await new Promise<void>((listening) => {
    silentServer.listen(0, '127.0.0.1', listening)
  })
  onTestFinished(() => silentServer.closeAllConnections())
  onTestFinished(() => void silentServer.close())
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
  const { port } = silentServer.address() as AddressInfo
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)

  const call = createDocumentClient().send(new GetCommand({ TableName: 'Pets', Key: { id: 1 } }))

  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(requests).toBe(3)
})
