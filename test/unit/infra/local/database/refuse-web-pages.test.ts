import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, engines } from '../../../../../infra/local/database/database.ts'
import { startDatabase } from '../../../../../infra/local/database/start-database.ts'
import { listTables } from '../fixtures.ts'
import { hasJava } from '../java.ts'

type Headers = Readonly<Record<string, string>>

/** A request with headers that `fetch` would not send. */
const send = async ({ endpoint }: Database, method: string, headers: Headers) => {
  const sent = request(endpoint, { method, headers }).end(method === 'POST' ? '{}' : undefined)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('There is no response.')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const page = { Origin: 'https://page.example' }

const preflight = {
  ...page,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'x-amz-target,content-type,authorization',
}

const allowed = (headers: object): string[] => Object.keys(headers).filter((name) => name.endsWith('-allow-origin'))

describe.each(engines)('%s', (engine) => {
  const isMissing = engine === 'dynamodb-local' && !hasJava
  let database: Database
  beforeAll(async () => {
    if (!isMissing) database = await startDatabase(engine, undefined)
  })
  afterAll(async () => {
    if (!isMissing) await database.close()
  })

  test.skipIf(isMissing)('allows no web page of another origin to send what reads or writes a table', async () => {
    expect(allowed((await send(database, 'OPTIONS', preflight)).headers)).toEqual([])
  })

  test.skipIf(isMissing)('allows no web page of another origin to read a response', async () => {
    expect(allowed((await send(database, 'POST', { ...listTables, ...page })).headers)).toEqual([])
  })
})

describe('dynalite', () => {
  let database: Database
  beforeAll(async () => {
    database = await startDatabase('dynalite', undefined)
  })
  afterAll(() => database.close())

  test.each([
    ['of another origin', page],
    ['of a file or a sandboxed frame', { Origin: 'null' }],
    ['of a page on this machine', { Origin: 'http://127.0.0.1:3000' }],
    ['for a host name that a page makes resolve to this machine', { Host: 'page.example:8000' }],
    ['for a host name that begins like this machine', { Host: '127.0.0.1.page.example' }],
  ])('refuses a request %s', async (_whose, headers) => {
    const { status, body } = await send(database, 'POST', { ...listTables, ...headers })
    expect([status, JSON.parse(body)]).toMatchObject([403, { __type: 'AccessDeniedException' }])
  })

  test('refuses a preflight', async () => {
    expect((await send(database, 'OPTIONS', preflight)).status).toBe(403)
  })

  test.each(['127.0.0.1', 'localhost:8000', 'LOCALHOST', '[::1]:8000'])('accepts a request for %s', async (Host) => {
    const response = await send(database, 'POST', { ...listTables, Host })
    expect(response).toMatchObject({ status: 200, body: '{"TableNames":[]}' })
  })
})
