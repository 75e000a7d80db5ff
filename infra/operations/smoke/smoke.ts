/** `npm run smoke`: runs the end-to-end tests against an environment. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import { runInterruptibly } from '../../command-line/long-work.ts'
import { printableLines } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { runTool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import { createEnvironmentTool, runChangeCommand } from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { KeyAdministration } from '../keys/administration.ts'
import { createSmokeKeyOrder, smokeKeySeconds, sweepSmokeRuns } from './sweep.ts'

const description =
  'Runs the end-to-end tests against an environment, with keys that it issues, and waits up to ten minutes while a new one does not respond yet. Afterwards it revokes its keys and removes the pets that they have added. What a run that was killed has left, a later one removes after an hour.'

/** Runs the end-to-end tests in a process of its own, one file after the other. @throws where they did not run to their end */
const runSuite = async (variables: NodeJS.ProcessEnv, only: string | undefined, signal: AbortSignal) => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-smoke-'))
  const report = join(folder, 'report.json')
  const words = [
    ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e'],
    ...['--no-file-parallelism', '--reporter', 'default', '--reporter', 'json', '--outputFile.json', report],
    ...(only === undefined ? [] : ['--testNamePattern', only]),
  ]
  const suite = spawn(process.execPath, words, {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    // Its colours are escape sequences, like those that the name of a pet may hold.
    env: { ...process.env, ...variables, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test that fails shows what callers have added to the API. Standard output is for the report.
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => process.stderr.write(printableLines(text)))
  }
  signal.addEventListener('abort', () => suite.kill())
  await once(suite, 'close')
  const text = existsSync(report) ? readFileSync(report, 'utf8') : undefined
  rmSync(folder, { recursive: true })
  signal.throwIfAborted()
  if (text === undefined) throw new UserError('The end-to-end tests did not run: see above.')
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(text)
  return { passed: Number(numPassedTests), failed: Number(numFailedTests), skipped: Number(numPendingTests) }
}

const smokeTool = createEnvironmentTool('npm run smoke --', description)
  .option('--read-only', 'only the tests that add no pet')
  .option('--only <text>', 'only the tests whose names match this regular expression')
type Options = ReturnType<typeof smokeTool.opts>

const smoke = async (
  environment: Environment,
  audit: Audit,
  { only, readOnly }: Options,
  signal: AbortSignal,
): Promise<Report> => {
  const { name, dataFolder, database } = environment
  const keys = new KeyAdministration(environment, { audit })
  // The emulator's address is not that of the stack.
  const { PET_API_URL: baseUrl = environment.baseUrl } = process.env
  const run = randomUUID()
  await sweepSmokeRuns(environment, keys, ({ createdAt }) => createdAt + smokeKeySeconds < Date.now() / 1_000)
  await audit.record([{ action: 'smoke', ids: [], old: null, new: { contact: run } }])
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => sweepSmokeRuns(environment, keys, ({ contact }) => contact === run))
  const { apiKey } = await keys.issue(
    createSmokeKeyOrder(run, 'enterprise', { perMinute: maximumPerMinute, perDay: 1_000_000 }),
  )
  const variables = {
    ...{ PET_API_URL: baseUrl, PET_API_KEY: apiKey, PET_API_RUN: run },
    ...(readOnly && { PET_API_READ_ONLY: '1' }),
    ...(dataFolder === undefined
      ? { PET_API_ENVIRONMENT: name, AWS_REGION: await database.config.region() }
      : { PET_API_DATA: resolve(dataFolder) }),
  }
  const counts = await runSuite(variables, only, signal)
  const { passed, failed, skipped } = counts
  if (passed + failed === 0) throw new UserError(`No test has "${only}" in its name.`)
  const text = `${baseUrl}: ${passed} tests have passed, ${failed} have failed, and ${skipped} were not run.`
  return { json: { environment: name, baseUrl, ...counts }, text, exitCode: failed === 0 ? 0 : 1 }
}

const howToGoOn = () => 'The keys are revoked.'
smokeTool.action((options) =>
  runChangeCommand(options, (environment, audit) =>
    runInterruptibly(howToGoOn, (signal) => smoke(environment, audit, options, signal)),
  ),
)
await runTool(smokeTool)
