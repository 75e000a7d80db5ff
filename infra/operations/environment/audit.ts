import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { CloudWatchLogsClient, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { UserError } from '../../command-line/user-error.ts'

/** A change that an operator makes. It never has an API key. */
export interface Change {
  /** Such as `pets set`. */
  readonly action: string
  /** Of the pets or the API keys, as text, so that a query compares them exactly. */
  readonly ids: readonly string[]
  /** `null` for what did not exist, and in `new` for what does not exist any more. */
  readonly old: object | null
  readonly new: object | null
  /** Why the change recorded before this line did not happen. */
  readonly refused?: string
}

/** Where the lines of the audit go. */
export type AuditTrail = { readonly file: string } | { readonly logGroupName: string; readonly region?: string }

/** Records up to a hundred changes: one line of JSON for each. */
export type Audit = (changes: readonly Change[]) => Promise<void>

/**
 * Opens the audit of an environment: its log group on AWS, or the file `audit.jsonl` in the data folder.
 *
 * @throws Error when the caller may not write there, so that nothing is changed unseen
 */
export const openAudit = async (environment: string, trail: AuditTrail, why: string | undefined): Promise<Audit> => {
  const { who, write } = 'file' in trail ? openFile(trail) : await openLogGroup(trail)
  return (changes) => {
    const time = new Date().toISOString()
    return write(changes.map((change) => stringifyExactJson({ time, who, environment, ...change, why })))
  }
}

/**
 * Records a change, and then makes it, so that no change is without its line. Where it fails, a second line says so.
 *
 * @throws Error when it cannot be recorded: nothing is changed then
 */
export const recording =
  (audit: Audit) =>
  async <Result>(change: Change, make: () => Promise<Result>): Promise<Result> => {
    await audit([change])
    try {
      return await make()
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      const refused = error instanceof UserError ? message : name
      await audit([{ ...change, refused }])
      throw error
    }
  }

export type Recording = ReturnType<typeof recording>

export const auditFile = (dataFolder: string): string => join(dataFolder, 'audit.jsonl')

const openFile = ({ file }: { readonly file: string }) => ({
  who: userInfo().username,
  write: async (lines: readonly string[]) => appendFileSync(file, lines.map((line) => `${line}\n`).join('')),
})

const openLogGroup = async ({ logGroupName, ...place }: Exclude<AuditTrail, { file: string }>) => {
  const { Arn: who = '' } = await new STSClient(place).send(new GetCallerIdentityCommand({}))
  const logs = new CloudWatchLogsClient(place)
  const logStreamName = `${new Date().toISOString().slice(0, 10)}/${randomUUID()}`
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }))
  return {
    who,
    write: async (lines: readonly string[]): Promise<void> => {
      // A call takes 1 MB. The longest lines of a hundred changes have less, with every character escaped.
      const logEvents = lines.map((message) => ({ message, timestamp: Date.now() }))
      await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }))
    },
  }
}
