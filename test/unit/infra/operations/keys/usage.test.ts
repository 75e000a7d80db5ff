import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { expect, it, onTestFinished } from 'vitest'
import { usageIn } from '../../../../../infra/operations/keys/deployed/access-log.ts'
import { noon } from '../../../../fixtures/settable-clock.ts'

/** A CloudWatch Logs that gives these responses, one after the other, and notes what it is asked. */
const serveLogs = async (...responses: readonly object[]) => {
  const asked: unknown[] = []
  const server = createServer(async (request, response) => {
    asked.push([String(request.headers['x-amz-target']).split('.')[1], await json(request)])
    response.end(JSON.stringify(responses[asked.length - 1]))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  const client = new CloudWatchLogsClient({
    endpoint: `http://127.0.0.1:${address.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  })
  return { asked, read: usageIn(client, 'the access log') }
}

const row = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([field, value]) => ({ field, value }))

it('usage waits for the query of the access log, and reads its rows', async () => {
  const results = [row({ keyId: 'key_1', plan: 'free', status: '429', requests: '12' })]
  const { asked, read } = await serveLogs({ queryId: 'q' }, { status: 'Running' }, { status: 'Complete', results })
  expect(await read(2, noon)).toEqual([{ keyId: 'key_1', plan: 'free', status: '429', requests: 12 }])
  const endTime = noon / 1_000
  expect(asked).toEqual([
    [
      'StartQuery',
      {
        ...{ logGroupName: 'the access log', startTime: endTime - 2 * 86_400, endTime },
        queryString: expect.stringContaining('by keyId, plan, status'),
      },
    ],
    ['GetQueryResults', { queryId: 'q' }],
    ['GetQueryResults', { queryId: 'q' }],
  ])
})

it('usage says so where CloudWatch ends the query', async () => {
  const { read } = await serveLogs({ queryId: 'q' }, { status: 'Timeout' })
  await expect(read(1, noon)).rejects.toThrow('CloudWatch ended the query: Timeout.')
})
