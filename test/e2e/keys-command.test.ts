import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, inject, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { startNode } from '../fixtures/node-process.ts'
import { call } from './api.ts'

const dataFolder = inject('dataFolder')
const program = 'infra/operations/keys/keys.ts'

const keys = async (...words: readonly string[]) => {
  const folder = words.includes('--data') ? [] : ['--data', dataFolder ?? '']
  const { ended, output, errors } = startNode([program, ...words, '--env', 'local', ...folder])
  return { exitCode: await ended, output: output(), errors: errors() }
}

const json = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  const { exitCode, output, errors } = await keys(...words, '--json')
  expect(exitCode, errors).toBe(0)
  return JSON.parse(output)
}

const statusOf = async (key: unknown): Promise<number> =>
  (await call('GET', '/pets?limit=1', { key: String(key) })).status

describe.skipIf(dataFolder === null)('npm run keys', { concurrent: true }, () => {
  it('issues, shows, moves, edits, rotates and revokes a key', async () => {
    const issued = await json('issue', '--plan', 'free', '--owner', 'City shelter', '--contact', 'a@example.org')
    expect(issued).toMatchObject({ plan: 'free', owner: 'City shelter', state: 'active', ...fixedPlans.free })
    expect(issued).toMatchObject({ contact: 'a@example.org', scope: 'read-write', lastUsed: null, meteredFrom: null })
    expect(issued['apiKey']).toMatch(/^pet_test_[0-9A-Za-z]{38}$/)
    const keyId = String(issued['keyId'])
    expect(await statusOf(issued['apiKey'])).toBe(200)

    expect(await json('show', keyId)).toMatchObject({ keyId, usedToday: 1 })
    expect(await json('list')).toMatchObject({ keys: expect.arrayContaining([expect.objectContaining({ keyId })]) })
    expect(await json('move', keyId, '--plan', 'business')).toMatchObject({ plan: 'business', ...fixedPlans.business })
    expect(await json('edit', keyId, '--owner', 'Town shelter')).toMatchObject({ owner: 'Town shelter' })
    expect(await json('list', '--owner', 'town shelter')).toMatchObject({ keys: [{ keyId, plan: 'business' }] })

    const successor = await json('rotate', keyId)
    expect(successor).toMatchObject({ plan: 'business', owner: 'Town shelter', predecessor: keyId })
    const old = await json('show', keyId)
    expect(old['successor']).toBe(successor['keyId'])
    expect(successor['predecessorEndsAt']).toBe(old['overlapEndsAt'])
    expect(await statusOf(issued['apiKey'])).toBe(200)
    expect(await statusOf(successor['apiKey'])).toBe(200)

    expect(await json('revoke', keyId)).toMatchObject({ state: 'revoked' })
    expect(await json('revoke', keyId)).toMatchObject({ state: 'revoked' })
    expect(await statusOf(issued['apiKey'])).toBe(401)
    expect(await statusOf(successor['apiKey'])).toBe(200)
  })

  it('lets a key with the scope read list and get, and not create', async () => {
    const { apiKey } = await json('issue', '--plan', 'free', '--owner', 'x', '--scope', 'read')
    const body = { name: 'Bella', categoryId: 1 }
    const refused = await call('POST', '/pets', { key: String(apiKey), body })
    expect([refused.status, refused.json()]).toMatchObject([403, { code: 'insufficient_scope' }])
    expect(await statusOf(apiKey)).toBe(200)
    const { apiKey: successor } = await json('rotate', String(apiKey))
    expect((await call('POST', '/pets', { key: String(successor), body })).status).toBe(403)
  })

  it('finds a key by its text, and prints none that was pasted by mistake', async () => {
    const { keyId, apiKey } = await json('issue', '--plan', 'free', '--owner', 'x')
    expect(await json('show', String(apiKey))).toMatchObject({ keyId })
    for (const words of [
      ['show', String(apiKey)],
      ['show', `${apiKey}0`],
      ['show', 'x', String(apiKey)],
      [String(apiKey)],
    ]) {
      const { output, errors } = await keys(...words)
      expect(output + errors).not.toContain(String(apiKey))
    }
  })

  it('issues no key that it cannot print, and records that', async () => {
    const owner = `unread ${process.pid}`
    const words = ['issue', '--plan', 'free', '--owner', owner, '--env', 'local', '--data', dataFolder ?? '']
    const command = spawn(process.execPath, [program, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    command.stdout.destroy()
    const [errors, [exitCode]] = await Promise.all([text(command.stderr), once(command, 'exit')])
    expect([exitCode, errors]).toEqual([1, 'The output could not be written (write EPIPE).\n'])
    expect(await json('list', '--owner', owner)).toEqual({ keys: [] })
    const lines = readFileSync(join(dataFolder ?? '', 'audit.jsonl'), 'utf8').split('\n')
    const own = lines.filter((line) => line.includes(owner)).map((line) => JSON.parse(line).refused)
    expect(own).toEqual([undefined, 'The output could not be written (write EPIPE).'])
  })
})
