import { UserError } from '../../command-line/user-error.ts'
import type { KeyAdministration } from './administration.ts'
import { withAudit } from './audit-command.ts'
import { reportCheck } from './check-report.ts'
import type { IssuedKey } from './issuing.ts'
import type { KeyCommand } from './key-command.ts'
import { printReport, type Report, reportIssued, reportKey, reportList, reportRotated } from './key-report.ts'
import type { ReadUsage } from './usage.ts'
import { reportUsage } from './usage.ts'

export interface Keys {
  readonly administration: KeyAdministration
  /** `undefined` where the environment has no access log. */
  readonly readUsage: ReadUsage | undefined
}

const reading: readonly KeyCommand['action'][] = ['list', 'show', 'usage']

/** Whether a command may change keys, so that it must not end between its steps. */
export const isChange = (command: KeyCommand): boolean =>
  !reading.includes(command.action) && !(command.action === 'check' && !command.repair)

/**
 * Carries out a command, and prints its result.
 *
 * @param signal ends a command that changes many keys between two of them
 * @returns the exit code
 */
export const carryOut = async (keys: Keys, command: KeyCommand, now: number, signal?: AbortSignal): Promise<number> => {
  const advice = `"npm run keys -- check --env ${command.environment} --repair" settles it.`
  if (command.action !== 'check') {
    const unfinished = (await keys.administration.unfinished()).map(({ keyId }) => keyId)
    const named = unfinished.length > 3 ? `${unfinished.length} keys` : unfinished.join(', ')
    if (named !== '') console.error(`Unfinished: ${named}. A command for it runs now, or was interrupted; ${advice}`)
  }
  try {
    if (!isChange(command)) return await act(keys, command, now, () => {}, signal)
    return await withAudit(keys.administration, command, (note) => act(keys, command, now, note, signal))
  } catch (error) {
    // A refusal changes nothing; anything else may have come half-way.
    if (isChange(command) && !(error instanceof UserError)) {
      console.error(`The command failed half-way. Each key works as "show" says, and ${advice}`)
    }
    throw error
  }
}

const act = async (
  { administration: keys, readUsage }: Keys,
  command: KeyCommand,
  now: number,
  note: (issued: IssuedKey) => void,
  signal?: AbortSignal,
): Promise<number> => {
  const print = (report: Report): Promise<void> => printReport(report, command.json)
  switch (command.action) {
    case 'issue':
      // The key is printed before its issue is finished, so that no interruption leaves a key that nobody has seen.
      await keys.issue(command, (issued) => {
        note(issued)
        return print(reportIssued(issued, now))
      })
      break
    case 'rotate': {
      const old = await keys.show(command.key)
      const show = (issued: IssuedKey) => {
        note(issued)
        return print(reportRotated(issued, old, now))
      }
      await keys.rotate(old.keyId, command.overlapSeconds, show, command.again)
      break
    }
    case 'list': {
      await print(reportList(await keys.list(), command, now))
      break
    }
    case 'show':
      await print(reportKey(await keys.show(command.key), now))
      break
    case 'usage': {
      if (readUsage === undefined) throw new UserError('The local environment has no access log, so no usage is known.')
      await print(reportUsage(await readUsage(command.days, now), await keys.list(), command.by))
      break
    }
    case 'revoke':
      await print(reportKey(await keys.revoke(command.key), now))
      break
    case 'revoke all': {
      const tell = (stopped: number, left: number) => {
        if (left % 100 === 0) console.error(`${stopped} keys are revoked; API Gateway still has those of ${left}.`)
      }
      const revoked = await keys.revokeAll(tell, signal)
      await print({ json: { revoked }, text: `${revoked} keys are revoked.` })
      break
    }
    case 'edit':
      await print(reportKey(await keys.edit(command.key, command.changes), now))
      break
    case 'unban':
      await print(reportKey(await keys.unban(command.key), now))
      break
    case 'move':
      await print(reportKey(await keys.move(command.key, command.plan, command.allowance), now))
      break
    case 'check': {
      const check = await keys.check(command.repair)
      await print(reportCheck(check))
      return check.findings.every(({ isRepaired }) => isRepaired) ? 0 : 1
    }
  }
  return 0
}
