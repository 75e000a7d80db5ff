import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import type { WriteLines } from '../../../../../infra/operations/environment/audit-destination.ts'
import { openAuditTrail } from '../../../../../infra/operations/environment/audit-trail.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

describe('the file of the audit', () => {
  let file: string
  let writeLines: WriteLines

  beforeEach(async () => {
    file = join(createTemporaryFolder(), 'audit.jsonl')
    writeLines = (await openAuditTrail({ file })).writeLines
  })

  it('has each line at its end', async () => {
    await writeLines(['{"a":1}', '{"a":2}'])
    await writeLines(['{"a":3}'])

    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"a":2}\n{"a":3}\n')
  })

  it('has a line that a full disk has torn apart from the next one', async () => {
    writeFileSync(file, '{"a":1}\n{"a"')

    await writeLines(['{"a":2}'])

    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"a"\n{"a":2}\n')
  })

  it('has the lines of two commands that write at once', async () => {
    await writeLines(['{"a":1}'])
    appendFileSync(file, '{"b":1}\n')
    await writeLines(['{"a":2}'])

    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"b":1}\n{"a":2}\n')
  })

  it('takes no line on a full disk', async () => {
    symlinkSync('/dev/full', file)

    await expect(writeLines(['{"a":1}'])).rejects.toThrow('ENOSPC')
  })
})

describe('the log group of the audit', () => {
  /** The part of the response to PutLogEvents that says which lines were dropped. */
  let rejectedLogEventsInfo: object | undefined
  /** Lines that were put into the log group. */
  let lines: string[]

  /** Responds to a call of CloudWatch Logs. */
  const respondToLogs = (operation: unknown, body: string): string => {
    if (operation !== 'Logs_20140328.PutLogEvents') return '{}'
    const { logEvents } = JSON.parse(body)
    lines.push(...logEvents.map(({ message }: { readonly message: string }) => message))
    return JSON.stringify({ rejectedLogEventsInfo })
  }

  beforeEach(async () => {
    rejectedLogEventsInfo = undefined
    lines = []
    const server = createServer(async (request, response) => {
      const operation = request.headers['x-amz-target']
      const body = await text(request)
      // A request to STS is a form, and names no operation in its headers.
      if (operation === undefined) {
        response.end('<R><GetCallerIdentityResult><Arn>arn:aws:iam::1:user/me</Arn></GetCallerIdentityResult></R>')
      } else {
        response.end(respondToLogs(operation, body))
      }
    })
    const port = await listen(server.unref(), 0)
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  })

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('gets the lines of an AWS identity', async () => {
    const { who, writeLines } = await openAuditTrail({ logGroupName: 'the audit', region: 'eu-west-1' })

    await writeLines(['{"a":1}', '{"a":2}'])

    expect(who).toBe('arn:aws:iam::1:user/me')
    expect(lines).toEqual(['{"a":1}', '{"a":2}'])
  })

  it.each([
    { clock: 'ahead', info: { tooNewLogEventStartIndex: 0 } },
    { clock: 'behind', info: { tooOldLogEventEndIndex: 1 } },
  ])('has not taken a line that it drops because the clock is $clock', async ({ info }) => {
    const { writeLines } = await openAuditTrail({ logGroupName: 'the audit', region: 'eu-west-1' })
    rejectedLogEventsInfo = info

    await expect(writeLines(['{"a":1}'])).rejects.toThrow(
      /^The audit does not accept the time 2\S+Z\. Set the clock of this machine\.$/,
    )
  })
})
