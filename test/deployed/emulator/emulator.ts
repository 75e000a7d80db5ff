import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import { findFreePort } from '../../fixtures/dynamodb-local/start.ts'
import { shouldSkipWithout } from '../../fixtures/size.ts'
import { bootstrap, deploy, synthesize } from './cdk.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the emulator, with both environments deployed; `null` where it is not installed. */
    readonly emulator: string | null
  }
}

/** Deploys both environments, for all tests of this folder, to an emulator that ends with them. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const isInstalled = spawnSync('sh', ['-c', 'command -v ministack']).status === 0
  const sentence = 'Nothing is deployed: there is no ministack. "pip install ministack==1.5.33" installs it.'
  if (shouldSkipWithout(isInstalled, sentence)) {
    project.provide('emulator', null)
    return undefined
  }
  const { endpoint, stop } = await startEmulator()
  try {
    await bootstrap()
    await deploy(await synthesize(), 'staging/*', 'production/*')
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('emulator', endpoint)
  return stop
}

/**
 * A shell between the tests and the emulator, first of a process group with it and the functions that it runs. Its standard
 * input is a pipe from the tests: the operating system closes it when they end, even by `kill -9`, and then the whole group
 * ends. The emulator ends its functions on the first signal.
 */
const supervisedEmulator = 'trap : TERM; { ministack; kill -9 0; } & read -r _; kill 0; sleep 3; kill -9 0'

/**
 * Starts an AWS emulator of its own on a free port of this machine, with nothing in it, and aims the AWS SDK and the CDK of
 * this process and of those that it starts at the emulator. What they write to the temporary folder goes with it.
 */
const startEmulator = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-deployed-'))
  const port = await findFreePort()
  const endpoint = `http://127.0.0.1:${port}`
  const log = join(folder, 'emulator.log')
  const output = openSync(log, 'w')
  Object.assign(process.env, { ...awsVariables(endpoint, folder), TMPDIR: folder })
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
      // It runs each function with the `node` that it finds first.
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    },
  })
  const stop = async (): Promise<void> => {
    const ended = isRunning(supervisor) ? once(supervisor, 'exit') : undefined
    supervisor.stdin?.end()
    await ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  while ((await fetch(endpoint).catch(() => undefined)) === undefined) {
    if (!isRunning(supervisor)) throw new Error(`The emulator did not start:\n${readFileSync(log, 'utf8')}`)
    await setTimeout(100)
  }
  return { endpoint, stop }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

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
