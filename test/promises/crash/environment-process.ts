import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Engine } from '../../../infra/local/database/database.ts'
import { findRunningEnvironment, type RunningEnvironment } from '../../../infra/operations/target/environment-file.ts'

/** A local environment in a process of its own, as `npm start` runs it. */
export interface EnvironmentProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly environment: RunningEnvironment
  readonly baseUrl: string
  /** What it has written to the terminal so far. */
  readonly terminal: () => string
  /** Its exit code; `null` when a signal ended it. */
  readonly ended: Promise<number | null>
}

export interface ProcessOptions {
  readonly dataFolder: string
  readonly engine?: Engine
  /** What the command line begins with, such as a shell that limits the process. */
  readonly within?: readonly string[]
  /** Environment variables, beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Where the files of the process are seen from here. */
  readonly seenFrom?: (child: ChildProcess) => string
}

const projectFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** Starts the process, and waits for nothing. */
export const spawnEnvironment = ({
  dataFolder,
  engine = 'dynalite',
  within = [],
  environment = {},
}: ProcessOptions) => {
  const start = [process.execPath, join(projectFolder, 'infra/local/start.ts')]
  const [command = '', ...words] = [...within, ...start, '--port', '0', '--data', dataFolder, '--engine', engine]
  const child = spawn(command, words, {
    cwd: projectFolder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      written += chunk
    })
  }
  const ended = once(child, 'close').then(() => child.exitCode)
  return { child, terminal: () => written, ended }
}

/** A machine that does much else at the same time needs this for what takes seconds by itself. */
const readyMilliseconds = 180_000

/** @throws Error with what it wrote, when it ends before it is ready. */
export const startEnvironment = async (options: ProcessOptions): Promise<EnvironmentProcess> => {
  const { dataFolder, seenFrom = () => '' } = options
  const { child, terminal, ended } = spawnEnvironment(options)
  const deadline = Date.now() + readyMilliseconds
  while (!terminal().includes('Press Ctrl-C to stop.')) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`The environment did not start: ${terminal()}`)
    }
    await setTimeout(20)
  }
  const environment = await findRunningEnvironment(seenFrom(child) + dataFolder)
  if (environment === undefined) throw new Error('The environment wrote no environment.json.')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  }
  return { child, environment, baseUrl: environment.baseUrl, terminal, ended, [Symbol.asyncDispose]: stop }
}
