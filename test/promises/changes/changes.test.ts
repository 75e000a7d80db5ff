import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedPlans } from '../../../shared/api-keys/plans.ts'
import { startEnvironment } from '../../fixtures/environment-process.ts'
import { sized } from '../../fixtures/size.ts'
import { addNewestPets, filesOfNewestPets } from './newest-pets.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Without what this test runner tells its own programs. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/VITEST|^(TEST|NODE_ENV|PET_)/.test(name)),
)

/** @returns what it printed, and its exit code */
const run = (folder: string, command: string, ...words: readonly string[]): string => {
  const { stdout, stderr, status } = spawnSync(command, words, {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  return `${stdout}${stderr}\nexit code ${status}`
}

const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts']

/** A clone of the last commit, with the packages. */
const cloneRepository = (): string => {
  const clone = mkdtempSync(join(tmpdir(), 'pet-adoption-clone-'))
  expect(run(root, 'git', 'clone', '--quiet', '.', clone)).toContain('exit code 0')
  // Another file system takes no hard links.
  const copied = run(root, 'sh', '-c', `cp -al node_modules ${clone} 2>/dev/null || cp -a node_modules ${clone}`)
  expect(copied).toContain('exit code 0')
  return clone
}

// Minutes each, so only at the size of CI.
describe.runIf(sized(false, true))('on a clone of the repository', { timeout: 3_600_000 }, () => {
  let clone: string
  beforeAll(() => {
    clone = cloneRepository()
  })
  afterAll(() => rmSync(clone, { recursive: true, force: true }))

  it.each(filesOfNewestPets)('who adds an operation without %s gets a message that names it', (forgotten) => {
    addNewestPets(clone, forgotten)
    const generated = run(clone, 'npm', 'run', '--silent', 'generate')
    const tests = ['contract-and-functions', 'test/events/events.test.ts', 'test/unit/readme.test.ts']
    const tested = run(clone, 'npx', ...vitest, '--project', 'unit', ...tests)
    run(clone, 'git', 'reset', '--hard', '--quiet')
    run(clone, 'git', 'clean', '--quiet', '-d', '--force')
    expect(generated + tested).toContain(forgotten)
  })

  it('an added operation is applied while the environment runs, a changed plan after its restart, and the tests of both pass', async () => {
    const dataFolder = join(clone, '.local')
    const within = ['env', `--chdir=${clone}`]
    await using watching = await startEnvironment({ dataFolder, within, words: ['--watch'] })
    addNewestPets(clone)
    expect(run(clone, 'npm', 'run', '--silent', 'generate')).toMatch(
      /wrote shared\/contract\/generated\/newest-pets\.ts\n/,
    )
    await expect.poll(() => watching.errors()).toMatch(/The changed sources are in use\.\n$/)
    const apiKey = /^ {2}free +(\S+)/m.exec(watching.output())?.[1]
    const newest = (baseUrl: string) =>
      fetch(`${baseUrl}/pets/newest`, { headers: { Authorization: `Bearer ${apiKey}` } })
    expect((await newest(watching.baseUrl)).status).toBe(200)
    await watching.stop()

    const plans = join(clone, 'shared/api-keys/plans.ts')
    const { perMinute } = fixedPlans.free
    writeFileSync(
      plans,
      readFileSync(plans, 'utf8').replace(`free: { perMinute: ${perMinute}`, 'free: { perMinute: 30'),
    )
    await using restarted = await startEnvironment({ dataFolder, within })
    expect(restarted.output()).toContain('(30 a minute')
    expect((await newest(restarted.baseUrl)).headers.get('X-RateLimit-Limit')).toBe('30')
    await restarted.stop()

    expect(run(clone, 'npm', 'run', 'generate')).toContain('wrote README.md')
    expect(run(clone, 'npm', 'run', 'check')).toContain('exit code 0')
    const folders = ['unit/shared', 'unit/functions', 'events', 'bench', 'e2e'].map((folder) => `test/${folder}/`)
    const tested = run(clone, 'npx', ...vitest, ...folders)
    console.log(tested.split('\n').slice(-8).join('\n'))
    expect(tested).toContain('exit code 0')
  })
})
