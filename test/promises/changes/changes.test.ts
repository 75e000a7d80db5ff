import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { chooseBySize, shouldSkip } from '../../fixtures/size.ts'
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts'
import { add, additions, filesOfOperation } from './additions.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Without what this test runner tells its own programs. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/VITEST|^(TEST|NODE_ENV|PET_(?!SEED))/.test(name)),
)

/** @returns what it printed, and its exit code */
const run = (cwd: string, line: string): string => {
  const { stdout, stderr, status } = spawnSync(line, { cwd, env, encoding: 'utf8', shell: true, maxBuffer: 2 ** 28 })
  return `${stdout}${stderr}\nexit code ${status}`
}

const isSkipped = shouldSkip(
  chooseBySize(true, false),
  'An added operation, field and plan are not tested: that takes minutes; "npm run test:all" does.',
)

describe.skipIf(isSkipped)('on a clone of the repository', { timeout: 3_600_000 }, () => {
  const clone = createTemporaryFolder()
  beforeAll(() => {
    expect(run(root, `git clone --quiet . ${clone}`)).toContain('exit code 0')
    // Another file system takes no hard links.
    if (run(root, `cp -al node_modules ${clone}`).endsWith('exit code 0')) return
    cpSync(join(root, 'node_modules'), join(clone, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  })

  it.each(filesOfOperation)('who adds an operation without %s gets a message that names it', (forgotten) => {
    add(clone, additions.operation, forgotten)
    const tests = 'npm test -- function-bundle test/events/events.test.ts'
    let printed = run(clone, `npm run --silent generate; ${tests}`)
    if (!printed.includes(forgotten)) printed += run(clone, 'npm run --silent check')
    run(clone, 'git reset --hard --quiet && git clean --quiet -d --force')
    expect(printed).toContain(forgotten)
  })

  it('whoever adds an operation, a field and a plan by the steps of the README has no check and no test fail', () => {
    for (const steps of Object.values(additions)) add(clone, steps)
    const printed = run(clone, 'npm run --silent generate && npm run --silent check && npm test')
    expect(printed.slice(-10_000)).toContain('exit code 0')
  })
})
