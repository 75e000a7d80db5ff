import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { chooseBySize, shouldSkip } from '../../fixtures/size.ts'
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts'
import { addDeletion, addFields, addOperation, addPlan, forgettableFiles } from './additions.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The environment without the variables by which this test run would change the commands. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/VITEST|^(TEST|NODE_ENV|PET_(?!SEED))/.test(name)),
)

/** Runs a line of shell. */
const run = (folder: string, line: string) => {
  const options = { cwd: folder, env, encoding: 'utf8', shell: true, maxBuffer: 2 ** 28 } as const
  const { stdout, stderr, status } = spawnSync(line, options)
  return { output: stdout + stderr, exitCode: status }
}

const isSkipped = shouldSkip(
  chooseBySize(true, false),
  'Added operations, fields and plans are not tested: that takes minutes; "npm run test:all" does.',
)

describe.skipIf(isSkipped)('On a clone of the repository', { timeout: 3_600_000 }, () => {
  const clone = createTemporaryFolder()

  beforeAll(() => {
    expect(run(root, `git clone --quiet . ${clone}`)).toMatchObject({ exitCode: 0 })
    const linked = run(root, `cp -al node_modules ${clone}`)
    if (linked.exitCode === 0) return
    // Hard links do not reach another file system, so the packages are copied.
    cpSync(join(root, 'node_modules'), join(clone, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  })

  it.each(forgettableFiles)('a check or a test names %s if an added operation lacks it', (forgottenFile) => {
    addOperation(clone, forgottenFile)

    const generated = run(clone, 'npm run --silent generate')
    const tested = run(clone, 'npm test -- function-bundle test/events/events.test.ts')
    let output = generated.output + tested.output
    if (!output.includes(forgottenFile)) output += run(clone, 'npm run --silent check').output
    run(clone, 'git reset --hard --quiet && git clean --quiet -d --force')

    expect(output).toContain(forgottenFile)
  })

  it('an added operation that responds 204 is generated, synthesized and served', () => {
    addDeletion(clone)

    const commands = ['npm run --silent generate', 'npm run --silent check', 'npm test -- test/e2e -t removal']
    const { output, exitCode } = run(clone, commands.join(' && '))
    run(clone, 'git reset --hard --quiet && git clean --quiet -d --force')

    expect(exitCode, output.slice(-10_000)).toBe(0)
    expect(output).toMatch(/Tests .*2 passed/)
  })

  it('all checks and tests pass after an operation, fields and a plan are added as the README says', () => {
    addOperation(clone)
    addFields(clone)
    addPlan(clone)

    const { output, exitCode } = run(clone, 'npm run --silent generate && npm run --silent check && npm test')

    expect(exitCode, output.slice(-10_000)).toBe(0)
  })
})
