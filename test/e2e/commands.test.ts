import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalEnvironment, startLocalEnvironment } from '../../infra/local/environment.ts'
import { petsTool } from '../../infra/operations/pets/pets-tool.ts'
import { auditFile } from '../../infra/operations/target/audit.ts'
import { smokeOwner } from '../../infra/operations/target/smoke-owner.ts'
import { sharedAssembly } from '../fixtures/assembly.ts'
import { startNode } from '../fixtures/node-process.ts'
import { seed, seededRandom } from '../fixtures/seed.ts'
import { sized } from '../fixtures/size.ts'
import { runHere } from '../unit/infra/operations/running-here.ts'
import { administration, baseUrl, dataFolder, isSmokeTest } from './api.ts'

const data = dataFolder ?? ''

const start = (script: string, ...words: readonly string[]) =>
  startNode([`infra/operations/${script}/${script}.ts`, ...words, '--env', 'local', '--data', data])

// A smoke test does not test itself.
describe.skipIf(dataFolder === null || isSmokeTest)('the commands', () => {
  it('npm run keys issues no key that it cannot print, and records that', async () => {
    const owner = `unread ${process.pid}`
    const { child, errors, ended } = start('keys', 'issue', '--plan', 'free', '--owner', owner)
    child.stdout?.destroy()
    expect([await ended, errors()]).toEqual([1, 'The output could not be written (write EPIPE).\n'])
    expect((await administration().list()).filter((key) => key.owner === owner)).toEqual([])
    const lines = readFileSync(auditFile(data), 'utf8').split('\n')
    const own = lines.filter((line) => line.includes(owner)).map((line) => JSON.parse(line).refused)
    expect(own).toEqual([undefined, 'The output could not be written (write EPIPE).'])
  })

  /** The keys of smoke tests. These run one after the other. */
  const smokeKeys = async () => (await administration().list()).filter(({ owner }) => owner === smokeOwner)

  it('npm run smoke runs the tests that are named, reports them, and revokes its keys', async () => {
    const { ended, output, errors } = start('smoke', '--read-only', '--only', 'pass values on with it', '--json')
    expect([await ended, errors()]).toEqual([0, expect.stringContaining('1 passed')])
    expect(JSON.parse(output())).toMatchObject({ environment: 'local', baseUrl, passed: 1, failed: 0 })
    // One for the tests, and one that a test has spent.
    const [contact] = (await smokeKeys()).map((key) => key.contact)
    const revoked = { contact, state: 'revoked', expiresAt: expect.any(Number) }
    expect(await smokeKeys()).toMatchObject([revoked, revoked])
    expect(readFileSync(auditFile(data), 'utf8')).toContain(`"new":{"contact":"${contact}"}`)
  })

  it('npm run smoke ends at Ctrl-C with 130, when it has revoked its keys', async () => {
    const { child, ended, errors } = start('smoke', '--only', 'pass values on with it')
    const active = async () => (await smokeKeys()).filter(({ state }) => state === 'active')
    await expect.poll(active).toHaveLength(1)
    child.kill('SIGINT')
    expect([await ended, errors()]).toEqual([130, expect.stringMatching(/Interrupted: the keys are revoked\.\n$/)])
    expect(await active()).toEqual([])
  })
})

/** Each code point of Unicode may be in a name. Those that formats and spreadsheets treat in their own way come oftener. */
const names = (): readonly string[] => {
  const random = seededRandom(seed)
  const special = [...'\u0000\t\n\r "\',;=+-@\\\u0085\u2028\u2029\ufeff\ufffd\u202e']
  const character = (): string => {
    if (random() < 0.3) return special[Math.floor(random() * special.length)] ?? ''
    const point = Math.floor(random() * 0x110000)
    return point >= 0xd800 && point <= 0xdfff ? '' : String.fromCodePoint(point)
  }
  const drawn = () => Array.from({ length: 1 + Math.floor(random() * 20) }, character).join('')
  return [...special, ...Array.from({ length: sized(40, 79) }, drawn)].map((name) => `${name}x`)
}

describe.skipIf(dataFolder === null)('npm run pets', () => {
  // An environment of its own: other files add pets meanwhile.
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-restore-'))
  let local: LocalEnvironment
  let headers: Readonly<Record<string, string>>
  beforeAll(async () => {
    local = await startLocalEnvironment({ port: 0, dataFolder: folder, assembly: sharedAssembly })
    headers = { Authorization: `Bearer ${local.demoKeys.at(-1)?.apiKey}`, 'Content-Type': 'application/json' }
    for (const name of names()) {
      const body = JSON.stringify({ name, categoryId: 1 })
      expect((await fetch(`${local.baseUrl}/pets`, { method: 'POST', headers, body })).status).toBe(201)
    }
  })
  afterAll(async () => {
    await local.stop()
    rmSync(folder, { recursive: true })
  })

  const pets = async (...words: readonly string[]): Promise<void> => {
    const { errors, exitCode } = await runHere(petsTool(), [...words, '--env', 'local', '--data', folder])
    expect(exitCode, errors).toBe(0)
  }

  /** What callers get: the list of all. */
  const listed = async () => {
    const texts: string[] = []
    for (let url: string | undefined = `${local.baseUrl}/pets?limit=100`; url !== undefined; ) {
      const response = await fetch(url, { headers })
      texts.push(await response.text())
      url = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
    }
    return texts
  }

  it.each(['csv', 'jsonl'])(
    'restores a backup as %s so that the API responds as before, byte for byte',
    async (format) => {
      const before = await listed()
      const backup = join(folder, `backup.${format}`)
      await pets('export', '--out', backup)
      await pets('remove', ...(before.join().match(/(?<="id":)\d+/g) ?? []))
      expect((await listed()).join()).toBe('[]')
      await pets('import', backup, '--restore')
      expect(await listed()).toEqual(before)
    },
  )
})
