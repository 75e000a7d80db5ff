/** `npm run smoke`: runs the end-to-end suite against a deployed API, and leaves nothing behind. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interruption } from '../../command-line/interruption.ts'
import { printable, printableLines } from '../../command-line/printable.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type DeployedKeys, openDeployedKeys } from '../keys/deployed/deployed-keys.ts'
import { waitUntilReady } from '../keys/deployed/readiness.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { deletePets } from './delete-pets.ts'
import { readSmokeCommand, type SmokeCommand } from './smoke-command.ts'

// The line may contain text of a server or of AWS.
const tell = (line: string): void => console.error(printable(line))

/** The suite makes some hundred requests; its tests are not about the limits of this key. */
const allowance = { perMinute: 30_000, perDay: 1_000_000 }

const smoke = async ({ environment: name, url, only }: SmokeCommand): Promise<number> => {
  const keys = await withUserErrors(() => openDeployedKeys(name))
  const baseUrl = url ?? keys.environment.baseUrl
  using cleanup = new DisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-smoke-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const created = join(folder, 'created-pets')
  // A signal ends the suite, but not this process: there is still a key to revoke.
  const signal = interruption()
  signal.addEventListener('abort', () => tell('Interrupted: ending the suite and cleaning up.'))
  const order = { owner: 'smoke test', plan: 'enterprise', allowance } as const
  const { apiKey, record } = await withUserErrors(() => keys.administration.issue(order))
  tell(`Issued the key ${record.keyId} for the suite.`)
  try {
    const reason = await waitUntilReady({ baseUrl, apiKey, report: tell, signal })
    if (signal.aborted) throw new UserError('Interrupted before the suite began.')
    if (reason !== undefined)
      throw new UserError(`The suite cannot begin: a new key does not work at ${baseUrl}: ${reason}.`)
    return await runSuite({ PET_API_URL: baseUrl, PET_API_KEY: apiKey, PET_API_CREATED_PETS: created }, only, signal)
  } finally {
    await cleanUp(keys, record.keyId, created)
  }
}

/** A failure of one part does not prevent the other. */
const cleanUp = async (keys: DeployedKeys, keyId: string, created: string): Promise<void> => {
  const [revoked, deleted] = await Promise.allSettled([
    withUserErrors(() => keys.administration.revoke(keyId)),
    withUserErrors(() => deletePets(keys.database, keys.environment.tables.pets, created)),
  ])
  if (revoked.status === 'fulfilled') tell(`Revoked the key ${keyId}.`)
  else {
    process.exitCode = 1
    tell(`The key ${keyId} could not be revoked: ${messageOf(revoked.reason)} Revoke it with "npm run keys".`)
  }
  if (deleted.status === 'fulfilled') tell(`Deleted the ${deleted.value} pets that the suite added.`)
  else {
    process.exitCode = 1
    tell(`The pets that the suite added could not be deleted: ${messageOf(deleted.reason)}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const runSuite = (
  variables: Readonly<Record<string, string>>,
  only: string | undefined,
  signal: AbortSignal,
): Promise<number> =>
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
    suite.stdout.setEncoding('utf8').on('data', (text: string) => process.stdout.write(printableLines(text)))
    suite.stderr.setEncoding('utf8').on('data', (text: string) => process.stderr.write(printableLines(text)))
    signal.addEventListener('abort', () => suite.kill('SIGTERM'))
    suite.once('error', reject)
    suite.once('close', (code) => resolve(code ?? 1))
  })

await runCommand(async () => {
  if ((await smoke(readSmokeCommand(commandLine()))) !== 0) process.exitCode = 1
})
