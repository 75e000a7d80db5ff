import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findFreePort } from '../../fixtures/dynamodb-local/start.ts'

export interface Emulator {
  readonly endpoint: string
  /** Goes with the emulator. */
  readonly folder: string
  stop(): Promise<void>
}

const startMilliseconds = 300_000

export const isEmulatorInstalled = (): boolean => spawnSync('sh', ['-c', 'command -v ministack']).status === 0

/**
 * A shell between the tests and the emulator, first of a process group with it and the functions that it runs. Its standard
 * input is a pipe from the tests: the operating system closes it when they end, even by `kill -9`, and then the whole group
 * ends. The emulator ends its functions on the first signal.
 */
const supervisedEmulator = 'trap : TERM; { ministack; kill -9 0; } & read -r _; kill 0; sleep 3; kill -9 0'

/**
 * Starts an AWS emulator of its own on a free port of this machine, with nothing in it, and aims the AWS SDK and the CDK of
 * this process and of those that it starts at the emulator.
 */
export const startEmulator = async (): Promise<Emulator> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-deployed-'))
  const port = await findFreePort()
  const endpoint = `http://127.0.0.1:${port}`
  const log = join(folder, 'emulator.log')
  const output = openSync(log, 'w')
  Object.assign(process.env, awsVariables(endpoint, folder))
  const supervisor = spawn('sh', ['-c', supervisedEmulator], {
    stdio: ['pipe', output, output],
    detached: true,
    cwd: folder,
    env: {
      ...process.env,
      // It asks the AWS SDK for Python about CloudFront, which takes an empty name for that of a profile.
      AWS_PROFILE: undefined,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      // It would listen on a port of its own.
      IOT_MTLS_ENABLED: '0',
      TMPDIR: folder,
      // It runs each function with the `node` that it finds first.
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    },
  })
  await untilReady(endpoint, supervisor, log)
  const stop = async (): Promise<void> => {
    const ended = isRunning(supervisor) ? once(supervisor, 'exit') : undefined
    supervisor.stdin?.end()
    await ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return { endpoint, folder, stop }
}

const awsVariables = (endpoint: string, folder: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_SESSION_TOKEN: '',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  // Whoever runs the tests may have credentials of a real account. None of them is read.
  AWS_PROFILE: '',
  AWS_CONFIG_FILE: join(folder, 'no-config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'no-credentials'),
  AWS_EC2_METADATA_DISABLED: 'true',
})

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

const untilReady = async (endpoint: string, supervisor: ChildProcess, log: string): Promise<void> => {
  const deadline = Date.now() + startMilliseconds
  while (Date.now() < deadline && isRunning(supervisor)) {
    const response = await fetch(endpoint).catch(() => undefined)
    if (response !== undefined) return
    await setTimeout(100)
  }
  supervisor.stdin?.end()
  throw new Error(`The emulator did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
}
