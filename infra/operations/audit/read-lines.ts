/** The lines of the audit, as they were written. */
import { createReadStream } from 'node:fs'
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs'
import type { AuditTrail } from '../environment/audit-trail.ts'

/** A line that may be torn, after a full disk or a kill. */
export interface WrittenLine {
  readonly text: string
  /** The file or the log stream with the line, as an operator finds it. */
  readonly place: string
}

/** Lines that are needed. Other lines may be among those that are read. */
export interface LineFilter {
  /** Id of a pet or an API key. */
  readonly id?: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly since?: number | undefined
}

/** Reads the lines, the oldest first. */
export const readLines = (trail: AuditTrail, filter: LineFilter): AsyncGenerator<WrittenLine> =>
  'file' in trail ? readFileLines(trail.file) : readLogLines(trail, filter)

/** Reads the lines of a file, and none if it does not exist: nothing was changed yet. */
async function* readFileLines(file: string): AsyncGenerator<WrittenLine> {
  let lineNumber = 0
  let rest = ''
  try {
    // Only a line feed ends a line. `readline` would also split at separators that a name may contain.
    for await (const chunk of createReadStream(file, 'utf8')) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) {
        lineNumber += 1
        yield { text, place: `line ${lineNumber} of ${file}` }
      }
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing) throw error
  }
  if (rest !== '') yield { text: rest, place: `line ${lineNumber + 1} of ${file}` }
}

/** Attempts of a call. The waits of the SDK between them grow, and outlast 30 seconds of throttling. */
const maxAttempts = 8

interface LogGroup {
  readonly logGroupName: string
  readonly region?: string
}

/**
 * Reads the lines of a log group by FilterLogEvents, which returns every event, page by page. A query of CloudWatch
 * Logs Insights returns at most 10,000 events, and is charged by what it reads.
 */
async function* readLogLines(
  { logGroupName, region }: LogGroup,
  { id, since }: LineFilter,
): AsyncGenerator<WrittenLine> {
  const client = new CloudWatchLogsClient(region === undefined ? { maxAttempts } : { region, maxAttempts })
  const request = {
    logGroupName,
    startTime: since,
    // Matches each line with this word, so also lines that have it elsewhere.
    filterPattern: id === undefined ? undefined : `"${id}"`,
  }
  // A page can be empty although others follow.
  for await (const { events = [] } of paginateFilterLogEvents({ client }, request)) {
    for (const { message = '', logStreamName } of events)
      yield { text: message, place: `the log stream ${logStreamName}` }
  }
}
