import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { auditFile } from '../../infra/operations/target/audit.ts'
import { baseUrl, call, nextPage } from './api.ts'

const dataFolder = inject('dataFolder')

describe.skipIf(dataFolder === null)('npm run pets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-restore-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = (tool: 'keys' | 'pets', ...words: readonly string[]): string =>
    execFileSync(
      process.execPath,
      [`infra/operations/${tool}/${tool}.ts`, ...words, '--env', 'local', '--data', dataFolder ?? ''],
      { encoding: 'utf8', stdio: 'pipe' },
    )

  /** What callers get: the pages of the list, and each pet of them by its id. */
  const responses = async (): Promise<readonly string[]> => {
    const texts: string[] = []
    for (let path: string | undefined = '/pets?limit=100'; path !== undefined; ) {
      const page = await call('GET', path)
      texts.push(page.text)
      path = nextPage(page)?.replace(baseUrl, '')
    }
    const ids = texts.join().match(/(?<="id":)\d+/g) ?? []
    for (const id of ids.slice(0, 20)) texts.push((await call('GET', `/pets/${id}`)).text)
    return texts
  }

  it('restores a backup so that the API responds as before, byte for byte', async () => {
    const before = await responses()
    const backup = join(folder, 'backup.csv')
    run('pets', 'export', '--out', backup)
    const [, one = '', two = ''] = readFileSync(backup, 'utf8').match(/^\d+/gm) ?? []
    run('pets', 'set', one, '--status', 'pending', '--name', 'Somebody else')
    run('pets', 'remove', two, '--yes')
    expect(await responses()).not.toEqual(before)
    run('pets', 'import', backup, '--restore')
    expect(await responses()).toEqual(before)
  })

  it('and npm run keys record who changed what, but no key', async () => {
    const { apiKey, keyId } = JSON.parse(run('keys', 'issue', '--plan', 'free', '--owner', 'Audited', '--json'))
    run('keys', 'revoke', keyId, '--why', 'a test')
    const lines = readFileSync(auditFile(dataFolder ?? ''), 'utf8')
    const changes = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ ids }) => ids.includes(keyId))
    expect(changes).toMatchObject([
      { action: 'keys issue', old: null, new: { owner: 'Audited', state: 'active' } },
      { action: 'keys revoke', old: { state: 'active' }, new: { state: 'revoked' }, why: 'a test' },
    ])
    expect(lines).not.toContain(apiKey.slice(0, 20))
  })
})
