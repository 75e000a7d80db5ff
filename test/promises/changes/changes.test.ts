import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { fixedPlanNames } from '../../../shared/api-keys/plans.ts'
import { chooseBySize, shouldSkip } from '../../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../../fixtures/machine/temporary-folder.ts'
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
 * Folders whose tests read operations, fields or plans as tables, so that a number of them written out there would
 * fail: the rules, the recorded events, the bundles, the generator, the templates, the rows of exports, and the
 * requests over real bundles, which call the new operation.
 */
const touchedTests = [
  'test/unit/shared/api-keys',
  'test/unit/shared/contract',
  'test/unit/shared/environment-variables.test.ts',
  'test/unit/shared/http',
  'test/unit/shared/idempotency/idempotency-record.test.ts',
  'test/unit/shared/pets',
  'test/unit/functions',
  'test/events',
  'test/unit/infra/bundling',
  'test/unit/infra/contract',
  'test/unit/infra/constructs',
  'test/unit/infra/stacks',
  'test/unit/infra/commands/pets/rows',
  'test/e2e/requests.test.ts',
]

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
  'Added operations, fields and plans are not tested: that takes a minute; "npm run test:all" does.',
)

describe.skipIf(isSkipped)('a clone with an operation, fields and a plan more', { timeout: 3_600_000 }, () => {
  const clone = createTemporaryFolder()
  let plan: NewPlan | undefined

  beforeAll(() => {
    expect(run(root, `git clone --quiet . ${clone}`)).toMatchObject({ exitCode: 0 })
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
    plan = fc.sample(drawPlan, 1)[0]
    if (plan === undefined) throw new Error('No plan was drawn.')
    addOperation(clone)
    addFields(clone)
    addPlan(clone, plan)
    expect(run(clone, 'npm run --silent generate')).toMatchObject({ exitCode: 0 })
  })

  it.each([
    { command: 'npm run check', line: 'npm run --silent check' },
    { command: 'npm test', line: `npm test -- ${touchedTests.join(' ')}` },
  ])(
    'on a clone with an operation, fields and a plan more, added as CONTRIBUTING says, $command passes',
    ({ line }) => {
      const { output, exitCode } = run(clone, line)

      expect(exitCode, `${JSON.stringify(plan)}\n${output.slice(-10_000)}`).toBe(0)
    },
  )
})
