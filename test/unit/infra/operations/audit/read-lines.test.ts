import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { type LineFilter, readLines } from '../../../../../infra/operations/audit/read-lines.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

describe('the file of the audit', () => {
  const readFile = (file: string) => Array.fromAsync(readLines({ file }, {}))

  it('is read line by line, with the number of each line', async () => {
    const file = join(createTemporaryFolder(), 'audit.jsonl')
    writeFileSync(file, '{"a":1}\n{"a":2}\n')

    expect(await readFile(file)).toEqual([
      { text: '{"a":1}', place: `line 1 of ${file}` },
      { text: '{"a":2}', place: `line 2 of ${file}` },
    ])
  })

  it('has whole lines although it is read in several chunks', async () => {
    const file = join(createTemporaryFolder(), 'audit.jsonl')
    // Node.js reads 64 KiB at once, and no line of 100 bytes ends there.
    const written = JSON.stringify({ name: 'a'.repeat(88) })
    writeFileSync(file, `${written}\n`.repeat(2_000))

    const lines = await readFile(file)

    expect(lines).toHaveLength(2_000)
    expect(new Set(lines.map((line) => line.text))).toEqual(new Set([written]))
  })

  it('has a line at its end that is torn', async () => {
    const file = join(createTemporaryFolder(), 'audit.jsonl')
    writeFileSync(file, '{"a":1}\n{"a"')

    const lines = await readFile(file)

    expect(lines.at(-1)).toEqual({ text: '{"a"', place: `line 2 of ${file}` })
  })

  it('has a name with a line separator in one line', async () => {
    const file = join(createTemporaryFolder(), 'audit.jsonl')
    writeFileSync(file, '{"name":"a\u2028b"}\n')

    expect(await readFile(file)).toHaveLength(1)
  })

  it('has no lines before it exists', async () => {
    expect(await readFile(join(createTemporaryFolder(), 'audit.jsonl'))).toEqual([])
  })
})

describe('the log group of the audit', () => {
  /** Responses of CloudWatch Logs that come next, each with its HTTP status. */
  let responses: { readonly status: number; readonly body: object }[]
  /** Bodies of the requests to CloudWatch Logs. */
  let requests: object[]

  beforeEach(async () => {
    responses = []
    requests = []
    const server = createServer(async (request, response) => {
      expect(request.headers['x-amz-target']).toBe('Logs_20140328.FilterLogEvents')
      requests.push(JSON.parse(await text(request)))
      const { status, body } = responses.shift() ?? { status: 500, body: {} }
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
    })
    const port = await listen(server.unref(), 0)
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  })

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  const readLog = (filter: LineFilter) =>
    Array.fromAsync(readLines({ logGroupName: 'the audit', region: 'eu-west-1' }, filter))

  const createEvent = (message: string) => ({ message, logStreamName: 'a stream', timestamp: 1 })

  it('is read page by page, also after an empty page', async () => {
    responses = [
      { status: 200, body: { events: [createEvent('{"a":1}')], nextToken: 'second' } },
      { status: 200, body: { events: [], nextToken: 'third' } },
      { status: 200, body: { events: [createEvent('{"a":2}')] } },
    ]

    const lines = await readLog({})

    expect(lines).toEqual([
      { text: '{"a":1}', place: 'the log stream a stream' },
      { text: '{"a":2}', place: 'the log stream a stream' },
    ])
    expect(requests).toEqual([
      { logGroupName: 'the audit' },
      { logGroupName: 'the audit', nextToken: 'second' },
      { logGroupName: 'the audit', nextToken: 'third' },
    ])
  })

  it('is searched for an id from a time on', async () => {
    responses = [{ status: 200, body: { events: [] } }]

    await readLog({ id: 'key_one', since: 5_000 })

    expect(requests).toEqual([{ logGroupName: 'the audit', filterPattern: '"key_one"', startTime: 5_000 }])
  })

  it('is read on after a page that is throttled', async () => {
    responses = [
      { status: 400, body: { __type: 'ThrottlingException', message: 'Rate exceeded' } },
      { status: 200, body: { events: [createEvent('{"a":1}')] } },
    ]

    expect(await readLog({})).toHaveLength(1)
  })
})
