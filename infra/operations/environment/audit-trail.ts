/** The destinations of the audit's lines: a file of the local environment, or a log group on AWS. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { CloudWatchLogsClient, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { UserError } from '../../command-line/user-error.ts'

export type AuditTrail = LocalAuditTrail | DeployedAuditTrail

interface LocalAuditTrail {
  readonly file: string
}

interface DeployedAuditTrail {
  readonly logGroupName: string
  readonly region?: string
}

/**
 * Writes at most 100 lines.
 *
 * @throws Error if a line may not have been written
 */
export type WriteLines = (lines: readonly string[]) => Promise<void>

/** A destination that is open. */
interface OpenAuditTrail {
  /** AWS identity or local user of the operator. */
  readonly who: string
  readonly writeLines: WriteLines
}

/** Path of the audit of a local environment. */
export const getAuditFile = (dataFolder: string): string => join(dataFolder, 'audit.jsonl')

/** @throws Error if the caller may not write to the destination */
export const openAuditTrail = (trail: AuditTrail): Promise<OpenAuditTrail> =>
  'file' in trail ? openAuditFile(trail) : openAuditLog(trail)

const openAuditFile = async ({ file }: LocalAuditTrail): Promise<OpenAuditTrail> => {
  const writeLines: WriteLines = async (lines) => {
    // A full disk or a kill leaves a part of a line. It stays a line of its own, so that the next ones can be parsed.
    const separator = endsInsideLine(file) ? '\n' : ''
    appendFileSync(file, separator + lines.map((line) => `${line}\n`).join(''))
  }
  return { who: userInfo().username, writeLines }
}

/** Whether the last line of a file has no end. */
const endsInsideLine = (file: string): boolean => {
  // `a+` creates the file if it does not exist, and allows reading.
  const descriptor = openSync(file, 'a+')
  try {
    const { size } = fstatSync(descriptor)
    const lastByte = Buffer.alloc(1)
    return size > 0 && readSync(descriptor, lastByte, 0, 1, size - 1) === 1 && lastByte.toString() !== '\n'
  } finally {
    closeSync(descriptor)
  }
}

/** Creates a log stream for this command in the log group of the audit. */
const openAuditLog = async ({ logGroupName, region }: DeployedAuditTrail): Promise<OpenAuditTrail> => {
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
