import { type Audit, type AuditLine, createAudit } from '../../infra/operations/environment/audit.ts'
import { parseExactJson } from '../../shared/exact-json.ts'
import type { Process } from './database.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The audit of one command. */
interface OpenedAudit {
  readonly audit: Audit
  /** Name of the command in its lines. No other command has it. */
  readonly who: string
}

/** The lines of the audit, which all commands of operators write. */
export class AuditLines {
  readonly #time: VirtualTime
  readonly #lines: AuditLine[] = []
  #openedAudits = 0

  constructor(time: VirtualTime) {
    this.#time = time
  }

  get all(): readonly AuditLine[] {
    return this.#lines
  }

  /** Opens the audit for a command that runs in a process. */
  open(process: Process): OpenedAudit {
    this.#openedAudits += 1
    const who = `command ${this.#openedAudits}`
    const writeLines = async (lines: readonly string[]): Promise<void> => {
      await process.waitUntilRunning(1)
      await this.#time.pause(30)
      // The audit formats each line as an AuditLine.
      this.#lines.push(...lines.map((line) => parseExactJson(line) as AuditLine))
      await process.waitUntilRunning(1)
    }
    return { audit: createAudit(writeLines, { who, environment: 'local' }), who }
  }

  /** Finds the lines that say that changes begin, of one command and with one id. */
  findBegun(who: string, id: string): readonly AuditLine[] {
    return this.#lines.filter((line) => line.outcome === 'begun' && line.who === who && line.ids.includes(id))
  }

  /** Finds the changes with an outcome, of the commands of one tool, such as `pets`. */
  findEnded(tool: string, outcome: 'done' | 'failed'): readonly AuditLine[] {
    return this.#lines.filter((line) => line.outcome === outcome && line.action.startsWith(`${tool} `))
  }
}
