/** The audit of an environment: one line for each change that an operator makes. */
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { CloudWatchLogsClient, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { UserError } from '../../command-line/user-error.ts'

/** A change that an operator makes. An API key is never part of it. */
export interface Change {
  /** Name of the command, for example `pets set`. */
  readonly action: string
  /** Ids of the changed pets or API keys. They are text, so that a query compares them exactly. */
  readonly ids: readonly string[]
  /** Values before the change; `null` if the change creates something. */
  readonly old: object | null
  /** Values after the change; `null` if the change removes something. */
  readonly new: object | null
  /** Reason why a change that is already recorded was not made. */
  readonly failed?: string
}

/** Destination of the lines: a file of the local environment, or a log group on AWS. */
export type AuditTrail = LocalAuditTrail | DeployedAuditTrail

interface LocalAuditTrail {
  readonly file: string
}

interface DeployedAuditTrail {
  readonly logGroupName: string
  readonly region?: string
}

/**
 * Records changes.
 *
 * @example
 * const change = { action: 'keys revoke', ids: [keyId], old: { state: 'active' }, new: { state: 'revoked' } }
 * await audit.recordThenMake(change, () => table.change(key, { state: 'revoked' }))
 */
export interface Audit {
  /** Writes one line of JSON for each change, for at most 100 changes. */
  record(changes: readonly Change[]): Promise<void>

  /**
   * Records a change and then makes it, so that every change has a line. If making it fails, a second line says why.
   *
   * @throws Error if the change cannot be recorded. Then it is not made.
   */
  recordThenMake<Result>(change: Change, make: () => Promise<Result>): Promise<Result>
}

/** Path of the audit of a local environment. */
export const getAuditFile = (dataFolder: string): string => join(dataFolder, 'audit.jsonl')

/**
 * Opens the audit of an environment.
 *
 * @param why the operator's reason, for every line
 * @throws Error if the caller may not write to the audit, so that nothing is changed without a record
 */
export const openAudit = async (environment: string, trail: AuditTrail, why: string | undefined): Promise<Audit> => {
  const { who, writeLines } = 'file' in trail ? openAuditFile(trail) : await openAuditLog(trail)

  const record = async (changes: readonly Change[]): Promise<void> => {
    const time = new Date().toISOString()
    await writeLines(changes.map((change) => stringifyExactJson({ time, who, environment, ...change, why })))
  }

  const recordThenMake = async <Result>(change: Change, make: () => Promise<Result>): Promise<Result> => {
    await record([change])
    try {
      return await make()
    } catch (error) {
      await record([{ ...change, failed: describeFailure(error) }])
      throw error
    }
  }

  return { record, recordThenMake }
}

/** Describes a failure for the audit. Only the message of a UserError is known to hold no secret. */
const describeFailure = (error: unknown): string => {
  if (error instanceof UserError) return error.message
  return error instanceof Error ? error.name : 'Error'
}

const openAuditFile = ({ file }: LocalAuditTrail) => {
  const writeLines = async (lines: readonly string[]): Promise<void> => {
    appendFileSync(file, lines.map((line) => `${line}\n`).join(''))
  }
  return { who: userInfo().username, writeLines }
}

/** Creates a log stream for this command in the log group of the audit. */
const openAuditLog = async ({ logGroupName, region }: DeployedAuditTrail) => {
  const regionConfig = region === undefined ? {} : { region }
  const { Arn: who = '' } = await new STSClient(regionConfig).send(new GetCallerIdentityCommand({}))

  const logs = new CloudWatchLogsClient(regionConfig)
  const logStreamName = `${new Date().toISOString().slice(0, 10)}/${randomUUID()}`
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }))

  const writeLines = async (lines: readonly string[]): Promise<void> => {
    // PutLogEvents takes 1 MB. A hundred lines are smaller, even if every character in them is escaped.
    const logEvents = lines.map((message) => ({ message, timestamp: Date.now() }))
    await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }))
  }
  return { who, writeLines }
}
