import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { fixedPlanNames } from '../../../shared/api-keys/plans.ts'
import { chooseBySize, shouldSkip } from '../../fixtures/size.ts'
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts'
import { addFields, addOperation, addPlan, type NewPlan } from './additions.ts'

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

/**
 * Files that the new operation needs, but that none of its other files imports. So a person who adds an operation may
 * forget them. `command` is the quickest one that names them.
 */
const forgettableFiles = [
  {
    files: ['infra/constructs/functions/table-access.ts', 'test/requests/requests.ts'],
    command: 'npx --no-install tsc --noEmit -p .',
  },
  { files: ['functions/delete-pet/index.ts'], command: 'npm test -- test/events/events.test.ts' },
  { files: ['test/events/delete-pet.json'], command: 'npm test -- test/events/events.test.ts' },
  { files: ['README.md'], command: 'npm test -- test/unit/infra/contract/hand-written.test.ts' },
]

/** Runs the tests of what additions touch: rules, contract, stacks, and the requests over real bundles. */
const touchedTests =
  'npm test -- test/unit/shared test/unit/functions test/events test/unit/infra/contract test/unit/infra/stacks ' +
  'test/e2e/requests.test.ts'

/** Draws a plan at any place among the others: smaller than all of them, between two, or larger than all. */
const drawPlan: fc.Arbitrary<NewPlan> = fc
  .tuple(
    fc.nat(fixedPlanNames.length),
    fc.constantFrom(
      { perMinute: 10, perDay: 100 },
      { perMinute: 500, perDay: 20_000 },
      { perMinute: 3_000, perDay: 400_000 },
    ),
  )
  .map(([place, limits]) => ({ place, ...limits }))

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

  it.each(forgettableFiles)('"$command" names $files.0 if an added operation lacks it', ({ files, command }) => {
    addOperation(clone, files)

    const { output } = run(clone, `npm run --silent generate && ${command}`)
    run(clone, 'git reset --hard --quiet && git clean --quiet -d --force')

    for (const file of files) expect(output).toContain(file)
  })

  it('checks and tests of the service pass after an operation, fields and a plan are added as CONTRIBUTING says', () => {
    const [plan] = fc.sample(drawPlan, 1)
    if (plan === undefined) throw new Error('No plan was drawn.')
    addOperation(clone)
    addFields(clone)
    addPlan(clone, plan)

    const { output, exitCode } = run(clone, `npm run --silent generate && npm run --silent check && ${touchedTests}`)

    expect(exitCode, `${JSON.stringify(plan)}\n${output.slice(-10_000)}`).toBe(0)
  })
})
