/** `npm run smoke`: runs the end-to-end suite against a deployed API, then checks what the service needs of AWS. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Allowance, maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import { interruption } from '../../command-line/interruption.ts'
import {
  confirmOption,
  confirmProduction,
  environmentFlags,
  environmentOption,
  jsonOption,
  required,
  urlOption,
} from '../../command-line/options.ts'
import { printable, printableJson, printableLines } from '../../command-line/printable.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine, tool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environmentNames } from '../../environments.ts'
import { administer } from '../keys/administer.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { openEnvironment } from '../target/open-environment.ts'
import { smokeOwner } from '../target/smoke-owner.ts'
import { type CheckedApi, checkBehaviour, type Finding } from './behaviour.ts'
import { sweep } from './sweep.ts'
import { visibleBehaviours } from './visible-behaviours.ts'

const description =
  'Runs the end-to-end suite against a deployed API, then checks each behaviour of AWS that the service needs and a request shows. It issues keys and revokes them afterwards. Each test removes the pets that it adds. What a killed run has left, the next one removes first, so run one at a time.'

const notes = `
The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION. They must allow to issue keys and
to delete pets.

Exit codes: 0 all is as expected; 1 it is not, or something failed, for the reason that is printed.`

/** @throws UserError that says what to change. */
const readOptions = (line: readonly string[]) => {
  const options = tool('npm run smoke --', description)
    .addOption(environmentOption(environmentNames))
    .addOption(confirmOption('for production, where callers see the pets of the suite'))
    .addOption(urlOption)
    .option('--only <text>', 'only the tests whose names match this regular expression')
    .option('--read-only', 'without the suite: adds no pet, only keys')
    .option('--clean', 'only remove what killed runs have left, the keys included')
    .addOption(jsonOption)
    .addHelpText('after', notes)
    .parse(line, { from: 'user' })
    .opts()
  const environment = required(options.env, environmentFlags)
  const { confirm, url, only, json = false, readOnly = false, clean = false } = options
  // Callers notice neither of the two.
  if (!readOnly && !clean) confirmProduction(environment, confirm)
  return { environment, url, only, json, readOnly, clean }
}

// The line may contain text of a server or of AWS.
const tell = (line: string): void => console.error(printable(line))

/** The suite makes some hundred requests; its tests are not about the limits of this key. */
const ample: Allowance = { perMinute: maximumPerMinute, perDay: 1_000_000 }
/** The first request uses it up. */
const one: Allowance = { perMinute: 1, perDay: 1 }

/** After it a key ends, also where nobody sweeps. */
const keySeconds = 3_600

/** @returns whether all is as expected */
const smoke = async (options: ReturnType<typeof readOptions>): Promise<boolean> => {
  const { environment, url, only, json, readOnly, clean } = options
  using opened = await openEnvironment({ environment })
  const sweepAndTell = async (): Promise<void> => {
    for (const { keyId, pets } of await withUserErrors(() => sweep(opened))) {
      tell(`Revoked the key ${keyId}, and removed ${pets} pets that it had added.`)
    }
  }
  await sweepAndTell()
  if (clean) return true
  const baseUrl = url ?? opened.baseUrl
  // A signal ends the suite, but not this process: there are still keys to revoke.
  const signal = interruption()
  signal.addEventListener('abort', () => tell('Interrupted: ending the suite and cleaning up.'))
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => attempt(sweepAndTell))
  const issue = async (allowance: Allowance): Promise<string> => {
    const expiresAt = Math.floor(systemClock() / 1_000) + keySeconds
    const order = { owner: smokeOwner, plan: 'enterprise', allowance, expiresAt } as const
    const { apiKey, record } = await administer(opened).issue(order)
    tell(`Issued the key ${record.keyId}.`)
    return apiKey
  }
  const apiKey = await issue(ample)
  if (signal.aborted) throw new UserError('Interrupted before the suite began.')
  const variables = {
    PET_API_URL: baseUrl,
    PET_API_KEY: apiKey,
    PET_API_PETS_TABLE: opened.tables.pets,
    AWS_REGION: await opened.database.config.region(),
  }
  const suitePassed = readOnly || (await runSuite(variables, only, json ? process.stderr : process.stdout, signal))
  if (signal.aborted) return false
  const findings = await checkAll({ baseUrl, apiKey, spentKey: await issue(one) })
  const report = { environment, baseUrl, ...(!readOnly && { suitePassed }), findings }
  console.log(json ? printableJson(report) : printableLines(textOf(baseUrl, findings)))
  return suitePassed && findings.every(({ isAsExpected }) => isAsExpected)
}

const checkAll = async (api: CheckedApi): Promise<readonly Finding[]> => {
  // Whatever the response is, the request is counted.
  await fetch(`${api.baseUrl}/pets`, { headers: { Authorization: `Bearer ${api.spentKey}` } })
  return Promise.all(visibleBehaviours.map((behaviour) => checkBehaviour(api, behaviour)))
}

const textOf = (baseUrl: string, findings: readonly Finding[]): string => {
  const met = findings.filter(({ isAsExpected }) => isAsExpected).length
  const lines = findings.flatMap(({ behaviour, expected, came, isAsExpected }) => [
    `${isAsExpected ? 'ok   ' : 'FAIL '} ${behaviour}`,
    `      expected ${expected}`,
    `      came     ${came}`,
  ])
  return [`What the service needs of AWS, at ${baseUrl}: ${met} of ${findings.length} as expected`, ...lines].join('\n')
}

/** A failure of the cleaning does not hide the result. */
const attempt = async (task: () => Promise<void>): Promise<void> => {
  try {
    await task()
  } catch (error) {
    process.exitCode = 1
    const reason = error instanceof Error ? error.message : String(error)
    tell(`Cleaning up failed: ${reason} The next run does it, or "npm run smoke -- --env NAME --clean".`)
  }
}

/** @returns whether all tests passed */
const runSuite = (
  variables: Readonly<Record<string, string>>,
  only: string | undefined,
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const pattern = only === undefined ? [] : ['--testNamePattern', only]
    const suite = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'e2e', ...pattern],
      {
        cwd: fileURLToPath(new URL('../../..', import.meta.url)),
        // Its colours are escape sequences, like those that the name of a pet may hold.
        env: { ...process.env, ...variables, NO_COLOR: '1', FORCE_COLOR: undefined },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    // A test that fails shows what callers have added to the API.
    suite.stdout.setEncoding('utf8').on('data', (text: string) => output.write(printableLines(text)))
    suite.stderr.setEncoding('utf8').on('data', (text: string) => process.stderr.write(printableLines(text)))
    signal.addEventListener('abort', () => suite.kill('SIGTERM'))
    suite.once('error', reject)
    suite.once('close', (code) => resolve(code === 0))
  })

await runCommand(async () => {
  if (!(await withUserErrors(async () => smoke(readOptions(commandLine()))))) process.exitCode = 1
})
