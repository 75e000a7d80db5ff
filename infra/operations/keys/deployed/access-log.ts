import { setTimeout } from 'node:timers/promises'
import { type CloudWatchLogsClient, GetQueryResultsCommand, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs'
import { UserError } from '../../../command-line/user-error.ts'
import type { ReadUsage } from '../usage.ts'

const daySeconds = 86_400

/** The most that CloudWatch Logs Insights returns. */
const mostRows = 10_000

const query = `filter keyId != "-" | stats count(*) as requests by keyId, plan, status | limit ${mostRows}`

/** Counts the requests in the access log of an environment, by a query of CloudWatch Logs Insights. */
export const usageIn =
  (client: CloudWatchLogsClient, logGroupName: string): ReadUsage =>
  async (days, now) => {
    const endTime = Math.floor(now / 1_000)
    const { queryId } = await client.send(
      new StartQueryCommand({ logGroupName, startTime: endTime - days * daySeconds, endTime, queryString: query }),
    )
    for (;;) {
      const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }))
      if (status === 'Complete') {
        if (results.length === mostRows)
          throw new UserError('The log has too many keys for one query. Ask for fewer days.')
        return results.map((row) => {
          const value = (name: string): string => row.find(({ field }) => field === name)?.value ?? ''
          return {
            keyId: value('keyId'),
            plan: value('plan'),
            status: value('status'),
            requests: Number(value('requests')),
          }
        })
      }
      if (status !== 'Running' && status !== 'Scheduled') throw new UserError(`CloudWatch ended the query: ${status}.`)
      await setTimeout(pollMilliseconds)
    }
  }

const pollMilliseconds = 1_000
