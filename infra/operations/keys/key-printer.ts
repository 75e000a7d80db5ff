import type { Clock } from '../../../shared/clock.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import { printReport, writeOutput } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { findOutcome, type Outcome } from '../environment/audit.ts'
import type { ShowKey } from './administration.ts'
import type { IssuedKey } from './key.ts'
import { reportIssuedKey } from './key-report.ts'

/**
 * Prints a new key. As text, the key is printed before it is written, and an error says that it was not issued. As
 * JSON, the end of the object is printed after the write, with its outcome. So a program parses no key that was not
 * issued.
 *
 * @example
 * const printer = new KeyPrinter(clock, true)
 * const keys = new KeyAdministration(environment, { audit, showKey: printer.showKey })
 * await printer.printOutcome(keys.rotate(keyId))
 */
export class KeyPrinter {
  readonly #clock: Clock
  readonly #asJson: boolean
  #isObjectOpen = false

  constructor(clock: Clock, asJson: boolean) {
    this.#clock = clock
    this.#asJson = asJson
  }

  readonly showKey: ShowKey = async (issued, replaced) => {
    const report = reportIssuedKey(this.#clock(), issued, replaced)
    if (!this.#asJson) return printReport(report, false)

    await writeOutput(formatPrintableJson(report.json).replace(/\}$/, ''))
    this.#isObjectOpen = true
  }

  /** Waits until the key is issued, and prints the outcome as the end of the object. */
  async printOutcome(issue: Promise<IssuedKey>): Promise<void> {
    const [result] = await Promise.allSettled([issue])
    if (result.status === 'rejected') {
      // The error of the command counts, not one of the output.
      await this.#endObject(findOutcome(result.reason)).catch(() => undefined)
      throw result.reason
    }

    await this.#endObject('done').catch((cause) => {
      const sentence = `The new API key ${result.value.record.keyId} was issued.`
      throw new UserError(`${describeError(cause)} ${sentence}`, { cause })
    })
  }

  async #endObject(outcome: Outcome): Promise<void> {
    if (this.#isObjectOpen) await writeOutput(`,"outcome":"${outcome}"}\n`)
  }
}
