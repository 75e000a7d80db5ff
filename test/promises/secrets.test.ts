import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { connectToLocalDatabase } from '../../infra/commands/environment/local-database.ts'
import { createKeysCommand } from '../../infra/commands/keys/keys-command.ts'
import { demoKeys } from '../../infra/local/demo-data.ts'
import { isWellFormed } from '../../shared/api-keys/api-key.ts'
import { recordedApiKey } from '../events/events.ts'
import { runCommandInProcess } from '../fixtures/commands/commands.ts'
import { startEnvironmentProcess } from '../fixtures/environment/local-environment.ts'
import { createTemporaryFolder } from '../fixtures/machine/temporary-folder.ts'
import { waitIfDayEndsSoon } from '../fixtures/service/clock.ts'

/**
 * Whether bytes contain a secret as plain text, in hex, in UTF-16 or in base64. Base64 encodes groups of three
 * characters, so it has three forms of the secret, depending on how many characters stand before the secret. The search
 * is for eight groups of each form.
 */
const containsSecret = (bytes: Buffer, secret: string): boolean => {
  const base64Forms = [0, 1, 2].map((start) => Buffer.from(secret.slice(start, start + 24)).toString('base64'))
  const forms = [secret, Buffer.from(secret).toString('hex'), ...base64Forms]
  return forms.some((form) => bytes.includes(form)) || bytes.includes(secret, 0, 'utf16le')
}

/** Bytes that a local environment or a command has written. */
interface WrittenBytes {
  /** The name of a file, or of another output. */
  readonly source: string
  readonly bytes: Buffer
}

const readFilesBelow = (folder: string): readonly WrittenBytes[] => {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.map((file) => ({ source: file, bytes: readFileSync(file) }))
}

test('no API key that is issued, used, misused, banned, rotated or revoked is written anywhere', async () => {
  const folder = createTemporaryFolder()
  const dataFolder = join(folder, 'data')
  const temporaryFolder = join(folder, 'tmp')
  const secrets: string[] = []
  const outputs: WrittenBytes[] = []

  /** Runs a command of `npm run keys`. A command that creates a key prints it once, on standard output. */
  const runKeys = async (...words: readonly string[]) => {
    const commonWords = ['--env', 'local', '--data', dataFolder, '--json']
    const { output, errors } = await runCommandInProcess(createKeysCommand(), [...words, ...commonWords])
    const { apiKey = '', keyId = '' }: { apiKey?: string; keyId?: string } = JSON.parse(output)
    // The prefix of a key is no secret.
    if (apiKey !== '') secrets.push(apiKey.slice('pet_test_'.length))
    const outputWithoutKey = output.replace(apiKey, '')
    outputs.push({ source: `keys ${words.join(' ')}`, bytes: Buffer.from(errors + outputWithoutKey) })
    return { apiKey, keyId }
  }

  mkdirSync(temporaryFolder)
  await using running = await startEnvironmentProcess({
    dataFolder,
    variables: { TMPDIR: temporaryFolder },
  })
  const { baseUrl, tables, databaseEndpoint } = running.environment

  const send = async (authorization: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers: { ...headers, Authorization: authorization } })
    const body = await response.text()
    const headersAndBody = JSON.stringify([...response.headers]) + body
    outputs.push({ source: `the response ${response.status}`, bytes: Buffer.from(headersAndBody) })
    // The code of an error response. A list of pets has none.
    const { code }: { readonly code?: string } = JSON.parse(body)
    return { status: response.status, code }
  }

  await waitIfDayEndsSoon()
  const limits = ['--per-minute', '1', '--per-day', '1']
  const { apiKey, keyId } = await runKeys(
    'issue',
    '--plan',
    'enterprise',
    '--scope',
    'read-write',
    '--owner',
    'a shelter',
    ...limits,
  )
  expect(await send(`Bearer ${apiKey}`)).toMatchObject({ status: 200 })

  const malformedAuthorizations = [
    `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
    apiKey,
    `Bearer "${apiKey}"`,
    `Bearer ${apiKey}, Bearer ${apiKey}`,
    `Bearer ${apiKey}${'x'.repeat(5_000)}`,
    `Bearer ${apiKey}\u{e9}`,
    `Bearer ${apiKey.slice(0, -1)}_`,
  ]
  for (const authorization of malformedAuthorizations) expect(await send(authorization)).toMatchObject({ status: 401 })
  const otherHeaders = { 'X-Api-Key': apiKey, Cookie: `key=${apiKey}` }
  expect(await send('none', otherHeaders)).toMatchObject({ status: 401 })

  // The hundredth request over a limit bans the key.
  for (let request = 0; request < 110; request += 1) await send(`Bearer ${apiKey}`)
  expect(await send(`Bearer ${apiKey}`)).toEqual({ status: 429, code: 'api_key_banned' })

  const successor = await runKeys('rotate', keyId)
  await runKeys('list')
  await runKeys('revoke', keyId)
  await send(`Bearer ${apiKey}`)

  // Without their tables the operation fails, and then the authorizer. Both report the error on the terminal.
  const client = connectToLocalDatabase(databaseEndpoint)
  await client.send(new DeleteTableCommand({ TableName: tables.pets }))
  expect(await send(`Bearer ${successor.apiKey}`)).toMatchObject({ status: 500 })
  await client.send(new DeleteTableCommand({ TableName: tables.apiKeys }))
  expect(await send(`Bearer ${successor.apiKey}`)).toMatchObject({ status: 503 })
  client.destroy()

  await running.stop()
  const terminal = running.terminal()
  const files = [...readFilesBelow(dataFolder), ...readFilesBelow(temporaryFolder)]

  // The search sees errors of the authorizer and of an operation, and what the files say of keys.
  expect(terminal).toContain('[authorizer]')
  expect(terminal).toContain('[list-pets]')
  expect(files.filter(({ bytes }) => bytes.includes(keyId))).not.toEqual([])
  expect(secrets).toHaveLength(2)

  const written = [...outputs, ...files, { source: 'the terminal', bytes: Buffer.from(terminal) }]
  const writtenWithSecret = written.filter(({ bytes }) => secrets.some((secret) => containsSecret(bytes, secret)))
  expect(writtenWithSecret.map(({ source }) => source)).toEqual([])
})

test('the repository has no API keys but demo keys and keys that were never issued', () => {
  const neverIssuedKey = 'pet_live_000000000000000000000000000000004HWLXb'
  const knownKeys = [...demoKeys.map(({ apiKey }) => apiKey), recordedApiKey, neverIssuedKey]
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync)

  // After its prefix of 9 characters, a key has at least 32 random ones and a checksum of 6. It has at most 128 in all.
  const candidates = files.flatMap(
    (file) => readFileSync(file, 'latin1').match(/pet_(?:live|test)_[0-9A-Za-z]{38,119}/g) ?? [],
  )
  const keys = candidates.filter((text) => isWellFormed(text, 'pet_live_') || isWellFormed(text, 'pet_test_'))

  expect(keys).not.toEqual([])
  expect(keys.filter((key) => !knownKeys.includes(key))).toEqual([])
})
