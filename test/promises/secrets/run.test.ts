import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { formsOf } from '../../../.ci/forms-of.ts'
import { connect } from '../../../infra/operations/target/local-database.ts'
import { type EnvironmentProcess, startEnvironment } from '../../fixtures/environment-process.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'
import { type Header, send } from '../hostile/connection.ts'

const projectFolder = fileURLToPath(new URL('../../../', import.meta.url))
const folder = temporaryFolder()

/** A key without its prefix, which is no secret. A compressed file may say the prefix by reference. */
const secretOf = (apiKey: string): string => apiKey.slice('pet_test_'.length)

interface Text {
  readonly where: string
  readonly bytes: Buffer
}

const filesBelow = (path: string): Text[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ where: file, bytes: readFileSync(file) }))

/** What one run has shown, and the keys that nothing of it may hold. */
class Run {
  readonly secrets = new Set<string>()
  readonly texts: Text[] = []
  readonly #running: EnvironmentProcess
  readonly #dataFolder: string

  constructor(running: EnvironmentProcess, dataFolder: string) {
    this.#running = running
    this.#dataFolder = dataFolder
  }

  /** `npm run keys`; what issues a key prints it once, on standard output, and nothing else does. */
  async keys(...words: readonly string[]): Promise<{ readonly apiKey: string; readonly keyId: string }> {
    const whole = ['infra/operations/keys/keys.ts', ...words, '--env', 'local', '--data', this.#dataFolder, '--json']
    const { stdout, stderr } = await promisify(execFile)(process.execPath, whole, { cwd: projectFolder })
    const report: { apiKey?: string; keyId: string } = JSON.parse(stdout)
    const { apiKey = '', keyId } = report
    if (apiKey !== '') this.secrets.add(secretOf(apiKey))
    const where = `npm run keys -- ${words.join(' ')}`
    this.texts.push({ where, bytes: Buffer.from(stderr + (apiKey === '' ? stdout : stdout.replace(apiKey, ''))) })
    return { apiKey, keyId }
  }

  async send(authorization: string, target = '/pets', ...others: readonly Header[]): Promise<number> {
    const headers: readonly Header[] = [['Authorization', authorization], ...others]
    const { status, head, text } = await send(this.#running.environment.port, { method: 'GET', target, headers })
    this.texts.push({ where: `the response ${status}`, bytes: Buffer.from(head + text) })
    return status
  }

  /** Where the secrets are seen: nowhere, if all is well. */
  found(): string[] {
    const forms = [...this.secrets].flatMap(formsOf)
    return this.texts.filter(({ bytes }) => forms.some((form) => bytes.includes(form))).map(({ where }) => where)
  }
}

test('A key that hides in some form is found', () => {
  const secret = 'q7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7ZabcdefGH'
  const around = (text: string): Buffer => Buffer.from(`a long line ${text} and more`)
  const hidden = [
    around(secret),
    Buffer.from(around(secret).toString('base64')),
    Buffer.from(around(`x${secret}`).toString('base64')),
    Buffer.from(around(`xx${secret}`).toString('base64url')),
    Buffer.from(around(secret).toString('hex')),
    Buffer.from(`id=${secret}`, 'utf16le'),
  ]
  for (const bytes of hidden) expect(formsOf(secret).some((form) => bytes.includes(form))).toBe(true)
})

describe('A run of the local environment', () => {
  test('writes no API key anywhere, whatever is done with keys', async () => {
    const dataFolder = join(folder, 'data')
    const temporary = join(folder, 'tmp')
    mkdirSync(temporary, { recursive: true })
    await using running = await startEnvironment({ dataFolder, environment: { ...process.env, TMPDIR: temporary } })
    const run = new Run(running, dataFolder)
    const limits = ['--plan', 'enterprise', '--owner', 'a shelter', '--per-day', '1000', '--per-minute']

    const [valid, revoked, banned] = await Promise.all([
      run.keys('issue', ...limits, '900'),
      run.keys('issue', ...limits, '900'),
      run.keys('issue', ...limits, '1'),
    ])
    const [rotated] = await Promise.all([
      run.keys('rotate', valid.keyId),
      run.keys('revoke', revoked.keyId),
      run.keys('show', valid.keyId),
      run.keys('list'),
    ])
    const malformed = `${valid.apiKey.slice(0, -1)}_`
    run.secrets.add(secretOf(malformed))

    expect(await run.send(`Bearer ${valid.apiKey}`)).toBe(200)
    expect(await run.send(`bearer ${rotated.apiKey}`)).toBe(200)
    for (const refused of [revoked.apiKey, malformed, `${valid.apiKey} ${valid.apiKey}`]) {
      expect(await run.send(`Bearer ${refused}`)).toBe(401)
    }
    const garbage = [
      `Basic ${Buffer.from(`${valid.apiKey}:`).toString('base64')}`,
      valid.apiKey,
      `Bearer "${valid.apiKey}"`,
      `Bearer ${valid.apiKey}${'x'.repeat(5_000)}`,
      `Bearer ${valid.apiKey}\u{e9}`,
    ]
    for (const authorization of garbage) expect(await run.send(authorization)).toBe(401)
    expect(await run.send(`Bearer ${valid.apiKey}`, '/pets', ['Authorization', `Bearer ${valid.apiKey}`])).toBe(401)
    expect(await run.send('none', '/pets', ['X-Api-Key', valid.apiKey], ['Cookie', `key=${valid.apiKey}`])).toBe(401)
    expect(await run.send('x'.repeat(12_000), '/pets', ['X-Api-Key', valid.apiKey])).toBe(400)
    // Statuses that refuse, and the hundredth refusal bans.
    for (let request = 0; request < 103; request += 1) await run.send(`Bearer ${banned.apiKey}`, '/pets?limit=1')
    expect(await run.send(`Bearer ${banned.apiKey}`)).toBe(429)

    // Without their tables, first the operations fail, then the authorizer: both write why.
    const { tables, databaseEndpoint } = running.environment
    const client = connect(databaseEndpoint)
    await client.send(new DeleteTableCommand({ TableName: tables.pets }))
    expect(await run.send(`Bearer ${valid.apiKey}`)).toBe(500)
    await client.send(new DeleteTableCommand({ TableName: tables.apiKeys }))
    expect(await run.send(`Bearer ${valid.apiKey}`)).toBe(503)
    await running.stop()

    const terminal = { where: 'the terminal', bytes: Buffer.from(running.terminal()) }
    expect(running.terminal()).toContain('[authorizer]')
    expect(running.terminal()).toContain('[list-pets]')
    const files = [...filesBelow(dataFolder), ...filesBelow(temporary)]
    // The database's own file is among them, with what is stored of the keys.
    expect(files.some(({ bytes }) => bytes.includes(valid.keyId))).toBe(true)
    run.texts.push(terminal, ...files)
    expect(run.found()).toEqual([])
  })
})
