/** `npm run smoke`: runs the end-to-end tests against an environment. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import { maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import { runInterruptibly } from '../../command-line/long-work.ts'
import { makeLinesPrintable, makePrintable } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { formatExamples, runTool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import { ChangeAudit } from '../environment/change-audit.ts'
import { createEnvironmentTool, runChangeCommand } from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { findOperator } from '../environment/operator.ts'
import { KeyAdministration } from '../keys/administration.ts'
import { createSmokeKeyOrder, smokeKeySeconds, sweepSmokeRuns } from './sweep.ts'

const description =
  'Runs the end-to-end tests against an environment, with keys that it issues, ' +
  'and waits up to ten minutes until a new environment responds. ' +
  'Afterwards it revokes its keys and removes the pets that they have added. ' +
  'If it is killed, the first run after an hour does that.'

const projectFolder = fileURLToPath(new URL('../../..', import.meta.url))

/** Limits of the key that most tests use: more requests than the suite makes. */
const suiteLimits = { perMinute: maximumPerMinute, perDay: 1_000_000 }

/** Numbers of tests by their outcome. */
interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * Lists the arguments of Node.js that run the end-to-end tests, one file after the other, and write a report in JSON.
 */
const listSuiteArguments = (reportFile: string, namePattern: string | undefined): readonly string[] => {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e']
  words.push('--no-file-parallelism')
  words.push('--reporter', 'default')
  words.push('--reporter', 'json', '--outputFile.json', reportFile)
  if (namePattern !== undefined) words.push('--testNamePattern', namePattern)
  return words
}

/**
 * Runs the end-to-end tests in another process. Their output goes to standard error: standard output is for the report.
 *
 * @param variables environment variables for the tests
 * @param namePattern regular expression for the names of the tests to run; undefined for all
 * @throws UserError if the tests did not run to their end
 */
const runSuite = async (
  variables: NodeJS.ProcessEnv,
  namePattern: string | undefined,
  signal: AbortSignal,
): Promise<TestCounts> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-smoke-'))
  const reportFile = join(folder, 'report.json')

  const suite = spawn(process.execPath, listSuiteArguments(reportFile, namePattern), {
    cwd: projectFolder,
    // Vitest's colours are escape sequences, and makeLinesPrintable would show each as text.
    env: { ...process.env, ...variables, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [suite.stdout, suite.stderr]) {
    // The output of a failed test may hold what callers have added to the API, so it is made printable.
    stream.setEncoding('utf8').on('data', (text: string) => process.stderr.write(makeLinesPrintable(text)))
  }
  signal.addEventListener('abort', () => suite.kill())
  await once(suite, 'close')

  const report = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : undefined
  rmSync(folder, { recursive: true })
  signal.throwIfAborted()
  if (report === undefined) throw new UserError('The end-to-end tests did not run: see above.')

  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(report)
  return {
    passed: Number(numPassedTests),
    failed: Number(numFailedTests),
    skipped: Number(numPendingTests),
  }
}

/**
 * Environment variables that tell the tests where the environment is, and how to issue keys there. Each variable is
 * set or removed, so that none of the operator's shell leads the tests elsewhere.
 */
const createLocationVariables = async ({ name, dataFolder, database }: Environment): Promise<NodeJS.ProcessEnv> => {
  if (dataFolder !== undefined) return { PET_API_DATA: resolve(dataFolder), PET_API_ENVIRONMENT: undefined }
  const region = await database.config.region()
  return { PET_API_DATA: undefined, PET_API_ENVIRONMENT: name, AWS_REGION: region }
}

const tool = createEnvironmentTool('npm run smoke --', description)
  .option('--read-only', 'only the tests that add no pet')
  .option('--only <text>', 'only the tests whose names match this regular expression')
  .option('--base-url <url>', 'the address to which the tests send their keys (default: that of the environment)')
  .addHelpText(
    'after',
    formatExamples(
      'npm run smoke -- --env staging',
      'npm run smoke -- --env production --read-only --confirm production',
      'npm run smoke -- --env staging --only "a key over its limit"',
    ),
  )

type SmokeOptions = ReturnType<typeof tool.opts>

/** A run of the smoke test. */
interface SmokeRun {
  readonly environment: Environment
  readonly audit: Audit
  readonly keys: KeyAdministration
  /** Contact of the keys that the run issues. */
  readonly id: string
  readonly baseUrl: string
}

/** Issues a key, and runs the tests with it. */
const runTests = async (
  { environment, keys, id, baseUrl }: SmokeRun,
  { only, readOnly }: SmokeOptions,
  signal: AbortSignal,
): Promise<Report> => {
  const { apiKey } = await keys.issue(createSmokeKeyOrder(id, 'enterprise', suiteLimits))
  const variables: NodeJS.ProcessEnv = {
    PET_API_URL: baseUrl,
    PET_API_KEY: apiKey,
    PET_API_RUN: id,
    PET_API_READ_ONLY: readOnly === true ? '1' : undefined,
    ...(await createLocationVariables(environment)),
  }

  const { passed, failed, skipped } = await runSuite(variables, only, signal)
  if (passed + failed === 0) throw new UserError(`No test has "${only}" in its name.`)
  return {
    json: { environment: environment.name, baseUrl, passed, failed, skipped },
    text: `${baseUrl}: ${passed} tests have passed, ${failed} have failed, and ${skipped} were not run.`,
    exitCode: failed === 0 ? 0 : 1,
  }
}

/** Removes the pets of a run and revokes its keys. @returns a sentence about the keys */
const sweepRun = async ({ environment, audit, keys, id }: SmokeRun) => {
  try {
    await sweepSmokeRuns(environment, { audit, keys }, ({ contact }) => contact === id)
    return { isSwept: true, sentence: 'The keys are revoked.' }
  } catch (error) {
    const whatIsLeft = 'Keys or pets of this run are left: the keys end within an hour, and a later run removes both.'
    return { isSwept: false, sentence: `${describeError(error)} ${whatIsLeft}` }
  }
}

/** Runs the smoke test, and removes its keys and pets also if it fails or is interrupted. */
const runSmokeTest = async (environment: Environment, audit: Audit, options: SmokeOptions): Promise<Report> => {
  const { baseUrl = environment.baseUrl } = options
  console.error(`The tests send their keys to ${makePrintable(baseUrl)}.`)
  const who = await findOperator(environment)
  const keys = new KeyAdministration(environment, { audit: new ChangeAudit(environment, { who, why: options.why }) })
  const run: SmokeRun = { environment, audit, keys, id: randomUUID(), baseUrl }
  let sentence = 'No key was issued.'

  return runInterruptibly(
    () => sentence,
    async (signal) => {
      // Sweep the runs that were killed. The keys of a run that still goes on are younger.
      const isKilledRun = ({ createdAt }: ApiKeyRecord): boolean => createdAt + smokeKeySeconds < Date.now() / 1_000
      await sweepSmokeRuns(environment, { audit, keys }, isKilledRun)

      const [tests] = await Promise.allSettled([runTests(run, options, signal)])
      const sweep = await sweepRun(run)
      sentence = sweep.sentence

      if (tests.status === 'rejected') {
        if (sweep.isSwept) throw tests.reason
        throw new UserError(`${describeError(tests.reason)} ${sentence}`, { cause: tests.reason })
      }
      if (sweep.isSwept) return tests.value
      throw new UserError(`${tests.value.text} ${sentence}`)
    },
  )
}

tool.action((options) => runChangeCommand(options, (environment, audit) => runSmokeTest(environment, audit, options)))

await runTool(tool)
