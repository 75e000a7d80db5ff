import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { describe, expect, inject, it } from 'vitest'
import { KeyTable } from '../../infra/operations/keys/key-table.ts'
import { createEdgeKeys } from '../../infra/operations/target/edge-keys.ts'
import { findRunningEnvironment } from '../../infra/operations/target/environment-file.ts'
import { connect } from '../../infra/operations/target/local-database.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { call } from './api.ts'

const dataFolder = inject('dataFolder')

interface Run {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

const keys = (...words: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    const folder = words.includes('--data') ? [] : ['--data', dataFolder ?? '']
    execFile(
      process.execPath,
      ['infra/operations/keys/keys.ts', ...words, '--env', 'local', ...folder],
      (error, output, errors) => resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output, errors }),
    )
  })

const json = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  const { exitCode, output, errors } = await keys(...words, '--json')
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  return JSON.parse(output)
}

/** Where the keys of the environment are kept. */
const stores = async () => {
  const environment = await findRunningEnvironment(dataFolder ?? '')
  if (environment === undefined) throw new Error('The environment runs as long as its tests.')
  const client = connect(environment.databaseEndpoint)
  const table = new KeyTable(DynamoDBDocumentClient.from(client), environment.tables.apiKeys)
  return { table, edgeKeys: createEdgeKeys(client) }
}

const statusOf = async (key: unknown): Promise<number> =>
  (await call('GET', '/pets?limit=1', { key: String(key) })).status

describe.skipIf(dataFolder === null)('npm run keys', () => {
  it('leads a key through its life', async () => {
    const issued = await json('issue', '--plan', 'free', '--owner', 'City shelter')
    expect(issued).toMatchObject({ plan: 'free', owner: 'City shelter', state: 'active', perMinute: 60, perDay: 1_000 })
    expect(issued['apiKey']).toMatch(/^pet_test_[0-9A-Za-z]{38}$/)
    const keyId = String(issued['keyId'])
    expect(await statusOf(issued['apiKey'])).toBe(200)

    expect(await json('show', keyId)).toMatchObject({ keyId, usedToday: 1 })
    expect(await json('list')).toMatchObject({ keys: expect.arrayContaining([expect.objectContaining({ keyId })]) })
    expect(await json('move', keyId, '--plan', 'business')).toMatchObject({ plan: 'business', perMinute: 1_000 })
    expect(await json('unban', keyId)).toMatchObject({ bannedUntil: null })

    const successor = await json('rotate', keyId)
    expect(successor).toMatchObject({ plan: 'business', owner: 'City shelter' })
    expect(successor['keyId']).not.toBe(keyId)
    expect(await statusOf(issued['apiKey'])).toBe(200)
    expect(await statusOf(successor['apiKey'])).toBe(200)

    expect(await json('revoke', keyId)).toMatchObject({ state: 'revoked' })
    expect(await json('revoke', keyId)).toMatchObject({ state: 'revoked' })
    expect(await statusOf(issued['apiKey'])).toBe(401)
    expect(await statusOf(successor['apiKey'])).toBe(200)
  })

  it('shows a key only when it is made', async () => {
    const issued = await json('issue', '--plan', 'free', '--owner', 'Secret')
    for (const words of [['list'], ['show', String(issued['keyId'])]]) {
      expect((await keys(...words)).output).not.toContain(String(issued['apiKey']))
    }
  })

  it.each([
    ['an unknown key id', ['show', 'key_0nobody'], 'No API key has the id key_0nobody'],
    ['a folder on which nothing runs', ['list', '--data', '/nonexistent'], 'npm start'],
    ['a plan that does not exist', ['issue', '--plan', 'gold', '--owner', 'x'], '--plan'],
  ])(
    'answers %s with a first line that says why, without a stack trace, and exit code 1',
    async (_what, words, sentence) => {
      const { exitCode, output, errors } = await keys(...words)
      expect(exitCode).toBe(1)
      expect(output).toBe('')
      expect(errors.split('\n')[0]).toContain(sentence)
      expect(errors).not.toContain('    at ')
    },
  )

  it('finds and repairs what an interrupted command has left', async () => {
    await keys('check', '--repair')
    const keyId = String((await json('issue', '--plan', 'free', '--owner', 'x'))['keyId'])
    const { table, edgeKeys } = await stores()
    const { keyHash = hashApiKey('') } = (await table.find(keyId)) ?? {}
    await edgeKeys.remove(keyHash)
    const found = await keys('check')
    expect(found).toMatchObject({ exitCode: 1, errors: '' })
    expect(found.output).toContain(`${keyId}  API Gateway has no key for the record. With --repair`)
    expect(await edgeKeys.get(keyHash)).toBeUndefined()
    expect(await json('check', '--repair')).toMatchObject({
      findings: [{ keyId, problem: 'no_gateway_key', repaired: true, failure: null }],
    })
    expect(await edgeKeys.get(keyHash)).toMatchObject({ name: keyId })
    expect((await keys('check')).exitCode).toBe(0)
  })

  it('issues no key that it cannot print', async () => {
    const words = ['issue', '--plan', 'free', '--owner', 'unread', '--env', 'local', '--data', dataFolder ?? '']
    const command = spawn(process.execPath, ['infra/operations/keys/keys.ts', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    command.stdout.destroy()
    const [errors, [exitCode]] = await Promise.all([text(command.stderr), once(command, 'exit')])
    expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: 'The output could not be written (write EPIPE).\n' })
    const listed = await json('list')
    expect(listed['keys']).toContainEqual(expect.objectContaining({ owner: 'unread', state: 'revoked' }))
    expect(listed['keys']).not.toContainEqual(expect.objectContaining({ owner: 'unread', state: 'active' }))
  })

  it('moves and rotates no key that is revoked', async () => {
    const keyId = String((await json('issue', '--plan', 'free', '--owner', 'x'))['keyId'])
    await json('revoke', keyId)
    for (const words of [
      ['rotate', keyId],
      ['move', keyId, '--plan', 'pro'],
    ]) {
      expect((await keys(...words)).errors).toContain('is revoked')
    }
  })
})
