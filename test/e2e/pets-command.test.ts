import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../infra/local/environment.ts'
import { sharedAssembly } from '../fixtures/assembly.ts'
import { seededRandom } from '../fixtures/seeded-random.ts'
import { sized } from '../fixtures/size.ts'
import { type ApiResponse, call, nextPage } from './api.ts'

/** Each code point of Unicode may be in a name. Those that formats and spreadsheets treat in their own way come oftener. */
const names = (): readonly string[] => {
  const random = seededRandom(7)
  const special = [...'\u0000\t\n\r "\',;=+-@\\\u0085\u2028\u2029\ufeff\ufffd\u202e']
  const character = (): string => {
    if (random() < 0.3) return special[Math.floor(random() * special.length)] ?? ''
    const point = Math.floor(random() * 0x110000)
    return point >= 0xd800 && point <= 0xdfff ? '' : String.fromCodePoint(point)
  }
  const drawn = () => Array.from({ length: 1 + Math.floor(random() * 20) }, character).join('')
  return [...special, ...Array.from({ length: sized(40, 130) }, drawn)].map((name) => `${name}x`)
}

describe.skipIf(inject('dataFolder') === null)('npm run pets', () => {
  // An environment of its own: other files add pets meanwhile.
  const dataFolder = mkdtempSync(join(tmpdir(), 'pet-adoption-restore-'))
  let local: LocalEnvironment
  let key: string

  beforeAll(async () => {
    local = await startLocalEnvironment({ port: 0, dataFolder, assembly: sharedAssembly })
    key = JSON.parse(run('keys', 'issue', '--plan', 'business', '--owner', 'Restored', '--json')).apiKey
    for (const name of names()) {
      const { status } = await call('POST', at('/pets'), { key, body: { name, categoryId: 1 } })
      expect(status).toBe(201)
    }
  })
  afterAll(async () => {
    await local.stop()
    rmSync(dataFolder, { recursive: true })
  })

  const at = (path: string): string => local.baseUrl + path
  const get = (url: string): Promise<ApiResponse> => call('GET', url, { key })

  const run = (tool: 'keys' | 'pets', ...words: readonly string[]): string =>
    execFileSync(
      process.execPath,
      [`infra/operations/${tool}/${tool}.ts`, ...words, '--env', 'local', '--data', dataFolder],
      { encoding: 'utf8', stdio: 'pipe' },
    )

  /** What callers get: the pages of the list, and each pet of them by its id. */
  const responses = async (): Promise<readonly string[]> => {
    const texts: string[] = []
    for (let url: string | undefined = at('/pets?limit=20'); url !== undefined; ) {
      const page = await get(url)
      texts.push(page.text)
      url = nextPage(page)
    }
    const ids = texts.join().match(/(?<="id":)\d+/g) ?? []
    for (const id of ids) texts.push((await get(at(`/pets/${id}`))).text)
    return texts
  }

  it.each(['csv', 'jsonl'])(
    'restores a backup as %s so that the API responds as before, byte for byte',
    async (format) => {
      const before = await responses()
      const backup = join(dataFolder, `backup.${format}`)
      run('pets', 'export', '--out', backup)
      const ids = before.join().match(/(?<="id":)\d+/g) ?? []
      run('pets', 'remove', ...new Set(ids))
      expect((await responses()).join()).toBe('[]')
      run('pets', 'import', backup, '--restore')
      expect(await responses()).toEqual(before)
    },
  )
})
