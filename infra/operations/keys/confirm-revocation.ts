/** The question that `revoke --all` asks. */
import { formatCount } from '../../command-line/report.ts'
import { isInteractive, readInputLine } from '../../command-line/standard-input.ts'
import { UsageError } from '../../command-line/user-error.ts'

/**
 * Says how many keys `revoke --all` is about to revoke, and asks the operator to confirm it.
 *
 * @param confirmedName the environment that the operator has confirmed on the command line, if any
 */
export const confirmRevocation = async (
  count: number,
  name: string,
  confirmedName: string | undefined,
): Promise<void> => {
  if (count === 0) return
  console.error(`This revokes ${formatCount(count, 'key')} of ${name}. Their callers get 401 at once.`)
  if (confirmedName !== undefined) return

  const answer = await readInputLine(`Type ${name} to go on: `)
  if (answer !== name) throw new UsageError(`"${answer}" is not ${name}. Nothing was revoked.`)
}

/** @throws UsageError if nobody can be asked, or the command line confirms another environment */
export const checkConfirmation = (name: string, confirmedName: string | undefined): void => {
  if (confirmedName === undefined && !isInteractive()) {
    throw new UsageError(`There is no terminal to ask on. If all keys of ${name} are meant, add --yes ${name}.`)
  }
  if (confirmedName !== undefined && confirmedName !== name) {
    throw new UsageError(`--yes ${confirmedName} does not name the environment, which is ${name}.`)
  }
}
