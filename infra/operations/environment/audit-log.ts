/** The log group of the audit on AWS. */
import { randomUUID } from 'node:crypto'
import { CloudWatchLogsClient, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { UserError } from '../../command-line/user-error.ts'
import type { DeployedAuditTrail, OpenAuditTrail, WriteLines } from './audit-destination.ts'

/** Creates a log stream for this command in the log group of the audit. */
export const openAuditLog = async ({ logGroupName, region }: DeployedAuditTrail): Promise<OpenAuditTrail> => {
  const regionConfig = region === undefined ? {} : { region }
  const { Arn: who = '' } = await new STSClient(regionConfig).send(new GetCallerIdentityCommand({}))

  const logs = new CloudWatchLogsClient(regionConfig)
  const logStreamName = `${new Date().toISOString().slice(0, 10)}/${randomUUID()}`
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }))

  const writeLines: WriteLines = async (lines) => {
    // PutLogEvents takes 1 MB. A hundred lines are smaller, even if every character in them is escaped.
    const timestamp = Date.now()
    const logEvents = lines.map((message) => ({ message, timestamp }))
    const put = new PutLogEventsCommand({ logGroupName, logStreamName, logEvents })
    const { rejectedLogEventsInfo } = await logs.send(put)

    // PutLogEvents responds 200 and drops events that are two hours ahead or 14 days old ("PutLogEvents", CloudWatch
    // Logs API Reference). All other calls succeed, because the SDK corrects a wrong clock in its signatures.
    if (rejectedLogEventsInfo !== undefined) {
      throw new UserError(
        `The audit does not accept the time ${new Date(timestamp).toISOString()}. Set the clock of this machine.`,
      )
    }
  }
  return { who, writeLines }
}
