/** The parts that all operators share. */
import { ConflictError } from '../../infra/command-line/user-error.ts'
import { ChangeAudit } from '../../infra/commands/environment/change-audit.ts'
import type { Environment } from '../../infra/commands/environment/open-environment.ts'
import { createRetryPolicy } from '../../infra/commands/environment/retry-policy.ts'
import type { IssuedKey, KeyOrder } from '../../infra/commands/keys/key.ts'
import { createKeyOperator, type KeyOperator } from '../fixtures/commands/key-operator.ts'
import type { Process } from './database.ts'
import type { World } from './world.ts'

/** A command of an operator. */
interface Command<Result> {
  /** Kind of the command, such as `keys rotate`. */
  readonly kind: string
  /** The key or the source that the command works on, as the history names it. */
  readonly subject: string
  readonly run: (opened: OpenedEnvironment) => Promise<Result>
  /** Whether an error says that the state of a key or a source does not allow the change. @default ConflictError */
  readonly isConflict?: (error: unknown) => boolean
}

/** The environment as the process of a command opens it. */
interface OpenedEnvironment {
  readonly environment: Pick<Environment, 'name' | 'database' | 'tables'>
  readonly audit: ChangeAudit
  readonly keys: KeyOperator
}

/**
 * How a command ends, with its result if it succeeds. `conflict`: the state of a key or a source does not allow the
 * change, for example because another command was first.
 */
type CommandEnd<Result> =
  | { readonly outcome: 'done'; readonly result: Result }
  | { readonly outcome: 'conflict' | 'failed' | 'killed' }

/** Runs a command in a process of its own, which may be killed. Reports an error without a fault. */
export const runCommand = async <Result>(world: World, command: Command<Result>): Promise<CommandEnd<Result>> => {
  const { faults, history } = world
  const { kind, subject, run } = command
  const { process, killed } = createMortalProcess(world)
  const opened = openEnvironment(world, process, kind)
  const work = async (): Promise<CommandEnd<Result>> => {
    const { result: end, count } = await faults.countDuring(() => endOf(run(opened)))
    if ('result' in end) return { outcome: 'done', result: end.result }
    history.note(subject, `${kind} failed: ${end.error}`)
    if ((command.isConflict ?? isConflictError)(end.error)) return { outcome: 'conflict' }
    if (count === 0) history.report('a command fails only after a fault', subject, `${kind} failed: ${end.error}`)
    return { outcome: 'failed' }
  }

  const end = await Promise.race([work(), killed])
  history.count(`${kind} ${end.outcome}`)
  history.note(subject, `${kind}: ${end.outcome}`)
  return end
}

const isConflictError = (error: unknown): boolean => error instanceof ConflictError

/** Waits for a command. @throws what is no Error, because it is a fault of the simulation */
const endOf = async <Result>(work: Promise<Result>) => {
  try {
    return { result: await work }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { error }
  }
}

const openEnvironment = ({ database, tables, auditRules }: World, process: Process, who: string): OpenedEnvironment => {
  const observed = database.connect(process, {
    onItemWritten: (write) => auditRules.recordWrite(write),
    // Commands on AWS repeat calls so.
    retries: { retryStrategy: createRetryPolicy() },
  })
  const environment = { name: 'local', database: observed, tables } as const
  const operator = { who }
  return {
    environment,
    audit: new ChangeAudit(environment, operator),
    keys: createKeyOperator(environment, { operator }),
  }
}

/** A process that is killed at one of its next steps, or never. */
interface MortalProcess {
  readonly process: Process
  /** Resolves when the process is killed. */
  readonly killed: Promise<{ readonly outcome: 'killed' }>
}

const createMortalProcess = ({ faults }: World): MortalProcess => {
  const { promise: killed, resolve } = Promise.withResolvers<{ readonly outcome: 'killed' }>()
  let isKilled = false
  const process: Process = {
    waitUntilRunning: async () => {
      isKilled ||= faults.draw('a command is killed')
      if (!isKilled) return
      resolve({ outcome: 'killed' })
      await new Promise(() => {})
    },
  }
  return { process, killed }
}

/** Issues a key. There are no faults yet, so this succeeds. */
export const issueKey = async (world: World, order: KeyOrder): Promise<IssuedKey> => {
  const run = ({ keys }: OpenedEnvironment) => keys.issue(order)
  const end = await runCommand(world, { kind: 'keys issue', subject: order.owner, run })
  if (end.outcome !== 'done') throw new Error(`No key was issued to ${order.owner}.`)
  return end.result
}
