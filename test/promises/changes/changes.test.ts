import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized, skips } from '../../fixtures/size.ts'
import { add, additions, filesOfOperation } from './additions.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Without what this test runner tells its own programs. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/VITEST|^(TEST|NODE_ENV|PET_(?!SEED))/.test(name)),
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

/** A clone of the last commit, with the packages. */
const cloneRepository = (): string => {
  const clone = mkdtempSync(join(tmpdir(), 'pet-adoption-clone-'))
  expect(run(root, 'git', 'clone', '--quiet', '.', clone)).toContain('exit code 0')
  // Another file system takes no hard links.
  const copied = run(root, 'sh', '-c', `cp -al node_modules ${clone} 2>/dev/null || cp -a node_modules ${clone}`)
  expect(copied).toContain('exit code 0')
  return clone
}

const isSkipped = skips(
  sized(true, false),
  'An added operation, field and plan are not tested: that takes minutes; "npm run test:all" does.',
)

describe.skipIf(isSkipped)('on a clone of the repository', { timeout: 3_600_000 }, () => {
  let clone: string
  beforeAll(() => {
    clone = cloneRepository()
  })
  afterAll(() => rmSync(clone, { recursive: true, force: true }))

  it.each(filesOfOperation)('who adds an operation without %s gets a message that names it', (forgotten) => {
    add(clone, additions.operation, forgotten)
    const generated = run(clone, 'npm', 'run', '--silent', 'generate')
    const checked = run(clone, 'npm', 'run', '--silent', 'check')
    const tested = run(clone, 'npm', 'test', '--', 'contract-and-functions', 'test/events/events.test.ts')
    run(clone, 'git', 'reset', '--hard', '--quiet')
    run(clone, 'git', 'clean', '--quiet', '-d', '--force')
    expect(generated + checked + tested).toContain(forgotten)
  })

  it('whoever adds an operation, a field and a plan by the steps of the README has no check and no test fail', () => {
    for (const steps of Object.values(additions)) add(clone, steps)
    expect(run(clone, 'npm', 'run', '--silent', 'generate')).toContain('exit code 0')
    expect(run(clone, 'npm', 'run', '--silent', 'check')).toContain('exit code 0')
    const tested = run(clone, 'npm', 'test')
    expect(tested, tested.slice(-10_000)).toContain('exit code 0')
  })
})
