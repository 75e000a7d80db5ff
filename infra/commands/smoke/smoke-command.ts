/** The command line of `npm run smoke`. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import { formatExamples } from '../../command-line/command.ts'
import { makePrintable } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
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
import { runSuite } from './suite.ts'

const description =
  'Runs the end-to-end tests against an environment, and waits up to ten minutes until a new environment responds. ' +
  'The keys that it issues end after an hour. At the end it removes the pets that it has added. In production it adds ' +
  'none.'

/** Limits of the key that most tests use: more requests than the suite makes. */
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
 * Creates the environment variables by which the tests find the environment, and issue keys there. Each variable is set
 * or removed, so that a variable of the operator's shell does not lead the tests elsewhere.
 */
const createLocationVariables = async ({ name, dataFolder, database }: Environment): Promise<NodeJS.ProcessEnv> => {
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
  const readsOnly = isReadOnly(environment, options)
  const runId = randomUUID()
  console.error(`The tests send their keys to ${makePrintable(baseUrl)}. The contact of these keys is ${runId}.`)

  const context = { environment, operator, clock: systemClock, announce: () => undefined }
  const { apiKey } = await issueKey(context, createSmokeKeyOrder(runId, 'enterprise', suiteLimits))
  const variables: NodeJS.ProcessEnv = {
    PET_API_URL: baseUrl,
    PET_API_KEY: apiKey,
    PET_API_RUN: runId,
    PET_API_READ_ONLY: readsOnly ? '1' : undefined,
    ...(await createLocationVariables(environment)),
  }
  try {
    return createReport(environment, baseUrl, { match, readOnly: readsOnly }, await runTests(variables, match))
  } finally {
    if (!readsOnly) await removePetsOfRun(environment, operator, runId)
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
  { passed, failed, skipped }: Awaited<ReturnType<typeof runSuite>>,
): Report => {
  if (passed + failed === 0) throw new UserError(`No test has "${match}" in its name.`)
  const reasons: string[] = []
  if (match !== undefined) reasons.push('have other names')
  if (readOnly) reasons.push('add pets')
  const skippedText = skipped === 0 ? '' : ` ${skipped} were not run, because they ${reasons.join(' or ')}.`
  return {
    json: { environment: name, baseUrl, passed, failed, skipped },
    text: `${baseUrl}: ${passed} tests have passed, and ${failed} have failed.${skippedText}`,
    exitCode: failed === 0 ? 0 : 1,
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
