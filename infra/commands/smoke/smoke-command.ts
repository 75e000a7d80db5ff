/** `npm run smoke`: runs the end-to-end tests against an environment. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import { formatExamples } from '../../command-line/command.ts'
import { makeLinesPrintable, makePrintable } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { repositoryRoot } from '../../command-line/repository-root.ts'
import { describeError } from '../../command-line/run-command.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import {
  confirmOption,
  createEnvironmentCommand,
  runAuditedCommand,
  whyOption,
} from '../environment/environment-command.ts'
import type { Environment, Operator } from '../environment/open-environment.ts'
import { issueKey } from '../keys/issue-key.ts'
import { removePets } from '../pets/edit-pets.ts'
import { createSmokeKeyOrder, findPetsOfRun } from './smoke-keys.ts'

const description =
  'Runs the end-to-end tests against an environment, and waits up to ten minutes until a new environment responds. ' +
  'The keys that it issues end after an hour. At the end it removes the pets that it has added. In production it adds ' +
  'none.'

/** Limits of the key that most tests use. They are higher than the number of requests of all tests together. */
const suiteLimits = { perMinute: maximumPerMinute, perDay: 1_000_000 }

interface SmokeOptions {
  readonly readOnly?: boolean | undefined
  /** Regular expression for the names of the tests to run. */
  readonly match?: string | undefined
  readonly baseUrl?: string | undefined
}

/** Whether a run adds no pets. */
export const isReadOnly = ({ name }: Pick<Environment, 'name'>, { readOnly = false }: SmokeOptions): boolean =>
  readOnly || name === 'production'

/**
 * Creates the environment variables by which the tests find the environment, and issue keys there. Each variable is
 * set, or removed by `undefined`, so that a variable of the operator's shell does not lead the tests elsewhere.
 */
const createLocationVariables = async ({ name, dataFolder, database }: Environment): Promise<NodeJS.ProcessEnv> => {
  // Only a local environment has a data folder.
  if (dataFolder !== undefined) return { PET_API_DATA: resolve(dataFolder), PET_API_ENVIRONMENT: undefined }
  const region = await database.config.region()
  return { PET_API_DATA: undefined, PET_API_ENVIRONMENT: name, AWS_REGION: region }
}

/** Runs the smoke test with keys of its own, and removes the pets that they have added, also if it fails. */
const runSmokeTest = async (
  environment: Environment,
  operator: Operator,
  options: SmokeOptions,
  runTests: typeof runSuite,
): Promise<Report> => {
  const { baseUrl = environment.baseUrl, match } = options
  const readOnly = isReadOnly(environment, options)
  const runId = randomUUID()
  console.error(`The tests send their keys to ${makePrintable(baseUrl)}. The contact of these keys is ${runId}.`)

  // The key is not announced: it is found by its contact, and ends by itself.
  const announce = (): void => {}
  const context = { environment, operator, clock: systemClock, announce }
  const { apiKey } = await issueKey(context, createSmokeKeyOrder(runId, 'enterprise', suiteLimits))
  const variables: NodeJS.ProcessEnv = {
    PET_API_URL: baseUrl,
    PET_API_KEY: apiKey,
    PET_API_RUN: runId,
    PET_API_READ_ONLY: readOnly ? '1' : undefined,
    ...(await createLocationVariables(environment)),
  }
  try {
    return createReport(environment, baseUrl, { match, readOnly }, await runTests(variables, match))
  } finally {
    if (!readOnly) await removePetsOfRun(environment, operator, runId)
  }
}

/**
 * Creates the report of a run.
 *
 * @throws UserError if no test has run
 */
const createReport = (
  { name }: Environment,
  baseUrl: string,
  { match, readOnly = false }: SmokeOptions,
  { passed, failed, skipped }: TestCounts,
): Report => {
  if (passed + failed === 0) throw new UserError(`No test has "${match}" in its name.`)
  const reasons: string[] = []
  if (match !== undefined) reasons.push('have other names')
  if (readOnly) reasons.push('add pets')
  const skippedText = skipped === 0 ? '' : ` ${skipped} were not run, because they ${reasons.join(' or ')}.`
  return {
    json: { environment: name, baseUrl, passed, failed, skipped },
    text: `${baseUrl}: ${passed} tests have passed, and ${failed} have failed.${skippedText}`,
    exitCode: failed === 0 ? exitCodes.done : exitCodes.failure,
  }
}

/**
 * Removes the pets that a run has added.
 *
 * @throws UserError that says how to find the pets that are left
 */
const removePetsOfRun = async (environment: Environment, operator: Operator, runId: string): Promise<void> => {
  try {
    await removePets({ environment, operator }, await findPetsOfRun(environment, runId))
  } catch (cause) {
    const advice = `Pets of this run are left: "pets list --added-by" lists them by its keys, which have the contact ${runId}.`
    throw new UserError(`${describeError(cause)} ${advice}`, { cause })
  }
}

/** Numbers of tests by their outcome. */
interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * Lists the arguments of Node.js that run the end-to-end tests, one file after the other, and write a report in JSON.
 * The tour of the README is left out: it tests a document, and leaves keys and pets.
 */
const listSuiteArguments = (reportFile: string, namePattern: string | undefined): readonly string[] => {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e']
  words.push('--exclude', 'test/e2e/readme-tour.test.ts')
  words.push('--no-file-parallelism')
  words.push('--reporter', 'default')
  words.push('--reporter', 'json', '--outputFile.json', reportFile)
  if (namePattern !== undefined) words.push('--testNamePattern', namePattern)
  return words
}

/**
 * Runs the end-to-end tests. Their output goes to standard error: standard output is for the report.
 *
 * @param variables environment variables for the tests
 * @param namePattern regular expression for the names of the tests to run; undefined for all
 * @throws UserError if the tests did not run to their end
 */
export const runSuite = async (variables: NodeJS.ProcessEnv, namePattern: string | undefined): Promise<TestCounts> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-smoke-'))
  const reportFile = join(folder, 'report.json')

  const suite = spawn(process.execPath, listSuiteArguments(reportFile, namePattern), {
    cwd: repositoryRoot,
    // No colours: makeLinesPrintable would show their escape sequences as text.
    env: { ...process.env, ...variables, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A command that is interrupted exits at once, so nothing else would end the tests.
  process.once('exit', () => suite.kill())
  for (const stream of [suite.stdout, suite.stderr]) {
    // The output of a failed test may hold what callers have added to the API, so it is made printable.
    stream.setEncoding('utf8').on('data', (text: string) => {
      // Nobody needs the name of the JSON report, which is removed at the end.
      process.stderr.write(makeLinesPrintable(text.replace(`JSON report written to ${reportFile}\n`, '')))
    })
  }
  await once(suite, 'close')

  const report = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : undefined
  rmSync(folder, { recursive: true })
  if (report === undefined) throw new UserError('The end-to-end tests did not run: see above.')

  // Vitest counts a skipped test as pending.
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(report)
  return {
    passed: Number(numPassedTests),
    failed: Number(numFailedTests),
    skipped: Number(numPendingTests),
  }
}

/**
 * Creates the command line of `npm run smoke`.
 *
 * @param runTests runs the end-to-end tests
 */
export const createSmokeCommand = (runTests = runSuite) =>
  createEnvironmentCommand('npm run smoke --', description)
    .addOption(whyOption)
    .addOption(confirmOption)
    .option('--read-only', 'only the tests that add no pet; always so in production')
    .option('--match <text>', 'only the tests whose names match this regular expression')
    .option('--base-url <url>', 'the address to which the tests send their keys (default: that of the environment)')
    .addHelpText(
      'after',
      formatExamples(
        'npm run smoke -- --env staging',
        'npm run smoke -- --env production --confirm production',
        'npm run smoke -- --env staging --match "a key over its limit"',
      ),
    )
    .action((options) =>
      runAuditedCommand(options, (environment, operator) => runSmokeTest(environment, operator, options, runTests)),
    )
