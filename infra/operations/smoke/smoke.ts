/** `npm run smoke`: runs the end-to-end suite against a deployed API, then checks what the service needs of AWS. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Allowance, maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import { interruption } from '../../command-line/interruption.ts'
import { printable, printableJson, printableLines } from '../../command-line/printable.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { openDeployedKeys } from '../keys/deployed/deployed-keys.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { type CheckedApi, checkBehaviour, type Finding } from './behaviour.ts'
import { deletePets } from './delete-pets.ts'
import { readSmokeCommand, type SmokeCommand } from './smoke-command.ts'
import { visibleBehaviours } from './visible-behaviours.ts'

// The line may contain text of a server or of AWS.
const tell = (line: string): void => console.error(printable(line))

/** The suite makes some hundred requests; its tests are not about the limits of this key. */
const ample: Allowance = { perMinute: maximumPerMinute, perDay: 1_000_000 }
/** The first request uses it up. */
const one: Allowance = { perMinute: 1, perDay: 1 }

/** @returns whether all is as expected */
const smoke = async ({ environment, url, only, json }: SmokeCommand): Promise<boolean> => {
  const keys = await withUserErrors(() => openDeployedKeys(environment))
  const baseUrl = url ?? keys.environment.baseUrl
  // A signal ends the suite, but not this process: there are still keys to revoke.
  const signal = interruption()
  signal.addEventListener('abort', () => tell('Interrupted: ending the suite and cleaning up.'))
  await using cleanUp = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-smoke-'))
  cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }))
  const created = join(folder, 'created-pets')
  const deletion = () => deletePets(keys.database, keys.environment.tables.pets, created)
  cleanUp.defer(() => attempt(deletion, (count) => `Deleted the ${count} pets that the suite added.`))
  const issue = async (allowance: Allowance): Promise<string> => {
    const order = { owner: 'smoke test', plan: 'enterprise', allowance } as const
    const { apiKey, record } = await withUserErrors(() => keys.administration.issue(order))
    tell(`Issued the key ${record.keyId}.`)
    const revocation = () => keys.administration.revoke(record.keyId)
    cleanUp.defer(() => attempt(revocation, () => `Revoked the key ${record.keyId}.`))
    return apiKey
  }
  const apiKey = await issue(ample)
  if (signal.aborted) throw new UserError('Interrupted before the suite began.')
  const variables = { PET_API_URL: baseUrl, PET_API_KEY: apiKey, PET_API_CREATED_PETS: created }
  const suitePassed = await runSuite(variables, only, json ? process.stderr : process.stdout, signal)
  if (signal.aborted) return false
  const findings = await checkAll({ baseUrl, apiKey, spentKey: await issue(one) })
  console.log(
    json ? printableJson({ environment, baseUrl, suitePassed, findings }) : printableLines(textOf(baseUrl, findings)),
  )
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

/** A failure of one part of the cleaning does not prevent the others. */
const attempt = async <Result>(task: () => Promise<Result>, done: (result: Result) => string): Promise<void> => {
  try {
    tell(done(await withUserErrors(task)))
  } catch (error) {
    process.exitCode = 1
    const reason = error instanceof Error ? error.message : String(error)
    tell(`Cleaning up failed: ${reason} "npm run keys" lists and revokes keys whose owner is "smoke test".`)
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
  if (!(await smoke(readSmokeCommand(commandLine())))) process.exitCode = 1
})
