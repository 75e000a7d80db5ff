import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findKeys } from '../../../.ci/find-keys.ts'
import { demoKeys } from '../../../infra/local/samples/demo-keys.ts'
import { formatApiKey } from '../../../shared/api-keys/api-key.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'

const projectFolder = fileURLToPath(new URL('../../../', import.meta.url))
const folder = temporaryFolder()

/** Made here, so that no file of the repository holds it. */
const key = formatApiKey('pet_live_', 'q7Z'.repeat(11))

const scan = (words: readonly string[], input = '') =>
  spawnSync(process.execPath, ['.ci/scan.ts', ...words], { cwd: projectFolder, input, encoding: 'utf8' })

describe('A key is found', () => {
  const line = `GET /pets Authorization: Bearer ${key} 401`
  test.each([
    ['in clear', line],
    ['between quotes', JSON.stringify({ key })],
    ['in base64', `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['in base64, anywhere in a longer text', Buffer.from(`a${line}`).toString('base64')],
    ['in base64 for URLs', Buffer.from(line).toString('base64url')],
    ['in hex', Buffer.from(line).toString('hex')],
    ['in percent-encoding', `?q=${line.replaceAll('_', '%5F')}`],
  ])('%s', (_form, text) => {
    expect(findKeys(`before ${text} after`)).toEqual([key])
  })

  test.each([
    ['a demo key', demoKeys('pet_test_')[0]?.apiKey ?? ''],
    ['a key with a wrong checksum', `${key.slice(0, -1)}_`],
    ['the hash of a key', 'a'.repeat(64)],
  ])('but not %s', (_what, text) => {
    expect(findKeys(text)).toEqual([])
  })
})

describe('node .ci/scan.ts', () => {
  test('passes what has no key, and says how much it read', () => {
    const { status, stdout } = scan([], 'nothing here')
    expect([status, stdout]).toEqual([0, 'No API key in 1 text.\n'])
  })

  test('fails on a key on standard input, and does not repeat it', () => {
    const { status, stdout, stderr } = scan([], `x ${key} y`)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('standard input: pet_live_...\n')
    expect(stderr).not.toContain(key)
  })

  test('fails on a key in any file below a folder, and names the file', () => {
    mkdirSync(join(folder, 'logs/deep'), { recursive: true })
    writeFileSync(join(folder, 'logs/deep/run.bin'), Buffer.from([0, 255, ...Buffer.from(key), 0]))
    const { status, stderr } = scan([join(folder, 'logs')])
    expect(status).toBe(1)
    expect(stderr).toContain(join(folder, 'logs/deep/run.bin'))
  })

  test('says what cannot be read, and explains itself', () => {
    expect(scan(['nowhere']).stderr).toBe('nowhere does not exist. Name existing files and folders.\n')
    expect(scan(['nowhere']).status).toBe(1)
    expect(scan(['--help']).stdout).toContain('Exit codes: 0')
  })
})

test('No file of the repository holds an API key', () => {
  const listed = execFileSync('git', ['ls-files'], { cwd: projectFolder, encoding: 'utf8' }).trim().split('\n')
  const files = listed.filter((file) => existsSync(join(projectFolder, file)))
  const { status, stdout, stderr } = scan(files)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`${files.length} texts`)
})
