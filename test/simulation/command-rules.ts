/** Invariants of operators' commands: whether they succeed. */
import type { History } from './history.ts'

/**
 * The end of a command. `conflict`: the state of a key or an animal does not allow the change, for example because
 * another command was first.
 */
export type CommandOutcome = 'done' | 'conflict' | 'failed' | 'killed'

export interface EndedCommand {
  /** Kind of the command, such as `keys rotate`. */
  readonly kind: string
  /** Name of the command in the audit, which no other command has. */
  readonly who: string
  /** Whether the command began after the faults had ended. */
  readonly mustSucceed: boolean
  readonly outcome: CommandOutcome
  /** Whether the operator did not know if there was anything to do. @default false */
  readonly isSpeculative?: boolean | undefined
  /** Why the command has failed. */
  readonly reason?: string | undefined
}

/** Ends of the commands of one kind. */
export type OutcomeCounts = Record<CommandOutcome, number>

/**
 * Failed commands of one kind, and conflicts of commands with something to do, from which on one must have succeeded.
 * Faults and conflicts let no kind fail so often.
 */
const triesUntilSuccess = 20

export class CommandRules {
  readonly #history: History
  readonly #counts = new Map<string, OutcomeCounts>()
  /** Commands that have failed, or met a conflict although there was something to do, by their kinds. */
  readonly #failedTries = new Map<string, number>()
  #namedCommands = 0

  constructor(history: History) {
    this.#history = history
  }

  /** Outcomes of all commands by their kinds. */
  get counts(): Readonly<Record<string, OutcomeCounts>> {
    return Object.fromEntries(this.#counts)
  }

  /** Names a command in the audit. No other command has the name. */
  nameCommand(): string {
    this.#namedCommands += 1
    return `command ${this.#namedCommands}`
  }

  recordEnd({ kind, who, mustSucceed, outcome, isSpeculative = false, reason = '' }: EndedCommand): void {
    const counts = this.#counts.get(kind) ?? { done: 0, conflict: 0, failed: 0, killed: 0 }
    counts[outcome] += 1
    this.#counts.set(kind, counts)
    const isFailedTry = (outcome === 'conflict' && !isSpeculative) || outcome === 'failed'
    if (isFailedTry) this.#failedTries.set(kind, (this.#failedTries.get(kind) ?? 0) + 1)
    if (mustSucceed && outcome === 'failed') {
      this.#history.report('a command succeeds once the faults have ended', who, `${kind} failed: ${reason}`)
    }
  }

  /** Checks all commands, when all of them have ended. */
  checkAtEnd(): void {
    for (const [kind, tries] of this.#failedTries) {
      const hasSucceeded = (this.#counts.get(kind)?.done ?? 0) > 0
      if (hasSucceeded || tries < triesUntilSuccess) continue
      const text = `${tries} commands have failed or met a conflict, and none has succeeded`
      this.#history.report('each kind of command succeeds at times', kind, text)
    }
  }
}
