/**
 * Vitest's `globalSetup` of the tests in test/deployed: starts an emulator of AWS, and deploys both environments to it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { findFreePort } from '../../fixtures/database/dynamodb-local/start.ts'
import { shouldSkipWithout } from '../../fixtures/machine/size.ts'
import { bootstrap, deploy, synthesize } from './cdk.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the emulator, to which both environments are deployed; `null` if it is not installed. */
    readonly emulator: string | null
  }
}

/**
 * Shell script that runs the emulator. Its argument is the program that starts the emulator. The shell leads a process
 * group with the emulator and the emulator's functions.
 *
 * Standard input of the shell is a pipe from the tests. The operating system closes the pipe when the tests end, even
 * after `kill -9`, and `read` returns. `kill 0` signals the group: the emulator ends its functions, and the shell goes
 * on because of its trap. Three seconds later `kill -9 0` ends everything that is left. If the emulator ends by itself,
 * the group ends at once.
 */
const supervisorScript = `
  python=$(dirname "$(command -v ministack)")/python
  trap : TERM
  { "$python" "$1"; kill -9 0; } &
  read -r _
  kill 0
  sleep 3
  kill -9 0
`

/** Program that starts the emulator. */
const startProgram = fileURLToPath(new URL('start_ministack.py', import.meta.url))

/** Lists variables that send the calls of the AWS SDK and the CDK to the emulator. */
const listAwsVariables = (endpoint: string, folder: string): NodeJS.ProcessEnv => ({
  AWS_ENDPOINT_URL: endpoint,
  // cdklocal demands this variable too.
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_SESSION_TOKEN: '',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  // These variables hide credentials of a real account that this machine may have.
  AWS_PROFILE: '',
  AWS_CONFIG_FILE: join(folder, 'no-config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'no-credentials'),
  AWS_EC2_METADATA_DISABLED: 'true',
})

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

const isResponding = async (endpoint: string): Promise<boolean> => {
  const response = await fetch(endpoint).catch(() => undefined)
  return response !== undefined
}

/**
 * Starts an empty emulator on a free port. Sets environment variables of this process, so that the AWS SDK and the CDK,
 * here and in the processes that it starts, use the emulator and a temporary folder that `stop` removes.
 */
const startEmulator = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-deployed-'))
  const port = await findFreePort()
  const endpoint = `http://127.0.0.1:${port}`
  Object.assign(process.env, listAwsVariables(endpoint, folder))
  process.env['TMPDIR'] = folder

  const logFile = join(folder, 'emulator.log')
  const log = openSync(logFile, 'w')
  const supervisor = spawn('sh', ['-c', supervisorScript, 'sh', startProgram], {
    stdio: ['pipe', log, log],
    detached: true,
    cwd: folder,
    env: {
      ...process.env,
      // For CloudFront the emulator uses the AWS SDK for Python, which looks for a profile even if its name is empty.
      AWS_PROFILE: undefined,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      // MQTT would listen on a port of its own.
      IOT_MTLS_ENABLED: '0',
      // The emulator runs each function with the first `node` of the path.
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    },
  })

  const stop = async (): Promise<void> => {
    const exited = isRunning(supervisor) ? once(supervisor, 'exit') : undefined
    supervisor.stdin?.end()
    await exited
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  while (!(await isResponding(endpoint))) {
    if (!isRunning(supervisor)) throw new Error(`The emulator did not start:\n${readFileSync(logFile, 'utf8')}`)
    await setTimeout(100)
  }
  return { endpoint, stop }
}

/** Deploys both environments to an emulator, which runs until all tests of this folder have ended. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const isInstalled = spawnSync('sh', ['-c', 'command -v ministack']).status === 0
  const reason = 'Nothing is deployed: there is no ministack. "pip install -r .ci/python/emulator.txt" installs it.'
  if (shouldSkipWithout(isInstalled, reason)) {
    project.provide('emulator', null)
    return undefined
  }

  const { endpoint, stop } = await startEmulator()
  try {
    await synthesize()
    await bootstrap()
    // The first version of the service has the default settings (cdk.ts).
    await deploy('first', 'staging/*', 'production/*')
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('emulator', endpoint)
  return stop
}
