import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { deriveDemoKeys } from '../../../infra/local/demo-keys.ts'
import { connectToLocalDatabase } from '../../../infra/operations/environment/local-database.ts'
import { createKeysTool } from '../../../infra/operations/keys/keys-tool.ts'
import { isWellFormed } from '../../../shared/api-keys/api-key.ts'
import { recordedApiKey } from '../../events/events.ts'
import { runToolInProcess } from '../../fixtures/commands.ts'
import { startEnvironmentProcess } from '../../fixtures/local-environment.ts'
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts'

const folder = createTemporaryFolder()

/** In clear, in hex, in UTF-16, or in base64, which groups characters by three from any place on. */
const holds = (bytes: Buffer, secret: string): boolean => {
  const groups = [0, 1, 2].map((start) => Buffer.from(secret.slice(start, start + 24)).toString('base64'))
  const texts = [secret, Buffer.from(secret).toString('hex'), ...groups]
  return texts.some((text) => bytes.includes(text)) || bytes.includes(secret, 0, 'utf16le')
}

test.each(['', 'a', 'ab'])('a key is found in each encoding where %j stands before it', (before) => {
  const secret = 'q7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7ZabcdefGH'
  const text = Buffer.from(`${before}${secret} and more`)
  const encoded = (['latin1', 'base64', 'base64url', 'hex'] as const).map((name) => Buffer.from(text.toString(name)))
  const hidden = [...encoded, Buffer.from(text.toString(), 'utf16le')]
  expect(hidden.filter((bytes) => !holds(bytes, secret))).toEqual([])
})

type Written = readonly [where: string, bytes: Buffer]

const filesBelow = (path: string): readonly Written[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file)])

test('a local environment writes no API key anywhere, whatever is done with it', async () => {
  const [dataFolder, temporary] = [join(folder, 'data'), join(folder, 'tmp')]
  mkdirSync(temporary)
  await using running = await startEnvironmentProcess({ dataFolder, variables: { TMPDIR: temporary } })
  const { baseUrl, tables, databaseEndpoint } = running.environment
  const secrets: string[] = []
  const written: Written[] = []

  /** `npm run keys`: what makes a key prints it once, on standard output. */
  const keys = async (...words: readonly string[]) => {
    const { output, errors } = await runToolInProcess(createKeysTool(), [
      ...words,
      '--env',
      'local',
      '--data',
      dataFolder,
      '--json',
    ])
    const { apiKey = '', keyId = '' }: { apiKey?: string; keyId?: string } = JSON.parse(output)
    // Its prefix is no secret.
    if (apiKey !== '') secrets.push(apiKey.slice('pet_test_'.length))
    written.push([`keys ${words.join(' ')}`, Buffer.from(errors + output.replace(apiKey, ''))])
    return { apiKey, keyId }
  }
  const send = async (authorization: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers: { ...headers, Authorization: authorization } })
    const seen = JSON.stringify([...response.headers]) + (await response.text())
    written.push([`the response ${response.status}`, Buffer.from(seen)])
    return response.status
  }

  const limits = ['--plan', 'enterprise', '--owner', 'a shelter', '--per-minute', '5', '--per-day', '1000']
  const { apiKey, keyId } = await keys('issue', ...limits)
  expect(await send(`Bearer ${apiKey}`)).toBe(200)
  const malformed = [
    `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
    apiKey,
    `Bearer "${apiKey}"`,
    `Bearer ${apiKey}, Bearer ${apiKey}`,
    `Bearer ${apiKey}${'x'.repeat(5_000)}`,
    `Bearer ${apiKey}\u{e9}`,
    `Bearer ${apiKey.slice(0, -1)}_`,
  ]
  for (const authorization of malformed) expect(await send(authorization)).toBe(401)
  expect(await send('none', { 'X-Api-Key': apiKey, Cookie: `key=${apiKey}` })).toBe(401)
  // Requests over a limit, of which the hundredth bans the key.
  for (let request = 0; request < 110; request += 1) await send(`Bearer ${apiKey}`)
  expect(await send(`Bearer ${apiKey}`)).toBe(429)
  const successor = await keys('rotate', keyId)
  await keys('list')
  await keys('revoke', keyId)
  await send(`Bearer ${apiKey}`)

  // Without their tables the operation fails, then the authorizer: both write why.
  const client = connectToLocalDatabase(databaseEndpoint)
  await client.send(new DeleteTableCommand({ TableName: tables.pets }))
  expect(await send(`Bearer ${successor.apiKey}`)).toBe(500)
  await client.send(new DeleteTableCommand({ TableName: tables.apiKeys }))
  expect(await send(`Bearer ${successor.apiKey}`)).toBe(503)
  client.destroy()
  await running.stop()

  expect(running.terminal()).toContain('[authorizer]')
  expect(running.terminal()).toContain('[list-pets]')
  const files = [...filesBelow(dataFolder), ...filesBelow(temporary)]
  // What the database stores of keys is among them.
  expect(files.some(([, bytes]) => bytes.includes(keyId))).toBe(true)
  written.push(['the terminal', Buffer.from(running.terminal())], ...files)
  const found = written.filter(([, bytes]) => secrets.some((secret) => holds(bytes, secret)))
  expect(found.map(([where]) => where)).toEqual([])
})

test('no file of the repository holds an API key but those that exist in local environments only, or nowhere', () => {
  const nowhere = 'pet_live_000000000000000000000000000000004HWLXb'
  const known = [...deriveDemoKeys('pet_test_').map(({ apiKey }) => apiKey), recordedApiKey, nowhere]
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync)
  const found = files
    .flatMap((file) => readFileSync(file, 'latin1').match(/pet_(?:live|test)_[0-9A-Za-z]{38,119}/g) ?? [])
    .filter((key) => isWellFormed(key, 'pet_live_') || isWellFormed(key, 'pet_test_'))
  expect(found.length).toBeGreaterThan(0)
  expect(found.filter((key) => !known.includes(key))).toEqual([])
})
