import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { expect, it } from 'vitest'
import { usageIn } from '../../../../../infra/operations/keys/deployed/access-log.ts'
import { noon } from '../../../../fixtures/settable-clock.ts'
import { serveAws } from '../aws.ts'

/** A CloudWatch Logs that gives these responses, one after the other, and notes what it is asked. */
const serveLogs = async (...responses: readonly object[]) => {
  const asked: unknown[] = []
  const endpoint = await serveAws((body, headers) => {
    asked.push([String(headers['x-amz-target']).split('.')[1], JSON.parse(body)])
    return { status: 200, body: JSON.stringify(responses[asked.length - 1]) }
  })
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' }
  const client = new CloudWatchLogsClient({ endpoint, region: 'us-east-1', credentials })
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
