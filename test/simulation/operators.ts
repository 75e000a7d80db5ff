/** The parts that all operators share. */
import { ConflictError } from '../../infra/command-line/user-error.ts'
import type { ResourceNames } from '../../infra/local/record/local-environment-record.ts'
import { ChangeAudit } from '../../infra/operations/environment/change-audit.ts'
import type { Environment } from '../../infra/operations/environment/open-environment.ts'
import { createRetryPolicy } from '../../infra/operations/environment/retry-policy.ts'
import { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import type { IssuedKey, KeyOrder } from '../../infra/operations/keys/key.ts'
import type { Clock } from '../../shared/clock.ts'
import type { AuditRules } from './audit-rules.ts'
import type { Callers } from './callers.ts'
import type { CommandRules } from './command-rules.ts'
import type { ItemWrite, Process, SimulatedDatabase } from './database.ts'
import type { LimitRules } from './limit-rules.ts'
import type { Schedule } from './schedule.ts'

export interface Operators extends Callers {
  readonly schedule: Schedule
  readonly database: SimulatedDatabase
  readonly tables: ResourceNames['tables']
  readonly limitRules: LimitRules
  readonly auditRules: AuditRules
  readonly commandRules: CommandRules
}

/** The process of a command, on the machine of its operator. */
export interface CommandProcess {
  readonly process: Process
  /** Name of the command in the audit, which no other command has. */
  readonly who: string
  /** Clock of the operator's machine. */
  readonly clock: Clock
}

/** A command of an operator. */
interface Command<Result> {
  /** Kind of the command, such as `keys rotate`. */
  readonly kind: string
  /** The key, the animal or the file that the command works on, as the history names it. */
  readonly subject: string
  /** Probability that the process is killed at each of its steps, while processes can be killed. @default 0 */
  readonly killProbability?: number
  /** Whether the operator does not know if there is anything to do. @default false */
  readonly isSpeculative?: boolean
  readonly run: (process: CommandProcess) => Promise<Result>
  /** Whether an error says that the state of a key or an animal does not allow the change. */
  readonly isConflict?: (end: { readonly error?: unknown }) => boolean
}

/** How a command ends, with its result if it succeeds. */
type CommandEnd<Result> =
  | { readonly outcome: 'done'; readonly result: Result }
  | { readonly outcome: 'conflict' | 'failed' | 'killed' }

/** Runs a command in a process of its own, which may be killed, and records how the command ends. */
export const runCommand = async <Result>(
  operators: Operators,
  { kind, subject, killProbability = 0, isSpeculative, run, isConflict = isConflictError }: Command<Result>,
): Promise<CommandEnd<Result>> => {
  const { time, faults, history, commandRules } = operators
  history.count('commands')
  const mustSucceed = operators.mustSucceed()
  const { process, killed } = createMortalProcess(operators, killProbability)
  const who = commandRules.nameCommand()
  const clockOffset = faults.drawClockOffset()
  const work = run({ process, who, clock: () => time.now + clockOffset })

  const end = await Promise.race([
    work.then(
      (result) => ({ result }),
      (error) => ({ error }),
    ),
    killed,
  ])
  if (end === 'killed') {
    history.note(subject, `${kind} was killed`)
    commandRules.recordEnd({ kind, who, mustSucceed, outcome: 'killed' })
    return { outcome: 'killed' }
  }
  if ('result' in end) {
    commandRules.recordEnd({ kind, who, mustSucceed, outcome: 'done' })
    return { outcome: 'done', result: end.result }
  }

  const reason = String(end.error)
  history.note(subject, `${kind} failed: ${reason}`)
  if (!(end.error instanceof Error)) throw end.error
  const outcome = isConflict(end) ? 'conflict' : 'failed'
  commandRules.recordEnd({ kind, who, mustSucceed, outcome, isSpeculative, reason })
  return { outcome }
}

const isConflictError = ({ error }: { readonly error?: unknown }): boolean => error instanceof ConflictError

/** How commands on AWS repeat calls. */
const createCommandRetries = () => ({ retryStrategy: createRetryPolicy() })

/** Opens the keys for a command. */
export const openKeys = (
  { database, tables, auditRules }: Operators,
  { process, who, clock }: CommandProcess,
): KeyAdministration => {
  const observed = database.connect(process, {
    onItemWritten: (write) => auditRules.recordWrite(write),
    retries: createCommandRetries(),
  })
  const audit = new ChangeAudit({ database: observed, tables }, { who, clock })
  return new KeyAdministration({ name: 'local', database: observed, tables }, { clock, audit })
}

/** Opens the environment, as commands on animals need it. */
export const openEnvironmentAt = (
  { database, tables }: Operators,
  process: Process,
  onItemWritten: (write: ItemWrite) => void,
): Pick<Environment, 'name' | 'database' | 'tables'> => ({
  name: 'local',
  database: database.connect(process, { onItemWritten, retries: createCommandRetries() }),
  tables,
})

/** A process that is killed at one of its next steps, or never. */
interface MortalProcess {
  readonly process: Process
  /** Resolves when the process is killed. */
  readonly killed: Promise<'killed'>
}

/** @param killProbability probability of a kill at each step, while processes can be killed */
const createMortalProcess = ({ random, faults }: Operators, killProbability: number): MortalProcess => {
  const { promise: killed, resolve } = Promise.withResolvers<'killed'>()
  let isKilled = false
  const process: Process = {
    waitUntilRunning: async () => {
      isKilled ||= random.chance(killProbability) && faults.canOccur('kills')
      if (!isKilled) return
      resolve('killed')
      await new Promise(() => {})
    },
  }
  return { process, killed }
}

/** Issues a key, as often as it needs to succeed. */
export const issueKey = async (operators: Operators, order: KeyOrder): Promise<IssuedKey> => {
  while (true) {
    const end = await runCommand(operators, {
      kind: 'keys issue',
      subject: order.owner,
      run: (process) => openKeys(operators, process).issue(order),
    })
    if (end.outcome === 'done') return end.result
    await operators.time.pause(1_000)
  }
}
