import { UserError } from '../../command-line/user-error.ts'
import type { KeyAdministration } from './administration.ts'
import { reportCheck } from './check-report.ts'
import type { IssuedKey, ShowKey } from './issuing.ts'
import type { KeyCommand } from './key-command.ts'
import { printReport, type Report, reportIssued, reportKey, reportList } from './key-report.ts'

/** How a command ended. */
export interface Outcome {
  readonly exitCode: number
  /** The key that was made, if one was. */
  readonly issued?: IssuedKey
}

const done: Outcome = { exitCode: 0 }

/** Carries out a command, and prints its result. */
export const carryOut = async (keys: KeyAdministration, command: KeyCommand, now: number): Promise<Outcome> => {
  try {
    return await act(keys, command, now)
  } catch (error) {
    // Anything but a refusal may have come half-way.
    const advice = error instanceof UserError ? undefined : adviceAfter[command.action]
    if (advice !== undefined) console.error(`${advice} "check --env ${command.environment}" finds what is left.`)
    throw error
  }
}

const discard = 'The command failed half-way. Discard the key, if one was printed, and run the command again.'
const retry = 'The command failed half-way. Run it again.'

/** What to do after a failure of an action that changes a key at API Gateway too. */
const adviceAfter: Partial<Record<KeyCommand['action'], string>> = {
  issue: discard,
  rotate: discard,
  move: retry,
  revoke: retry,
}

const act = async (keys: KeyAdministration, command: KeyCommand, now: number): Promise<Outcome> => {
  const print = (report: Report): Promise<void> => printReport(report, command.json)
  // The key is printed before it is made permanent, so an interruption loses no key.
  const show: ShowKey = (issued) => print(reportIssued(issued, now))
  switch (command.action) {
    case 'issue':
      return { exitCode: 0, issued: await keys.issue(command, show) }
    case 'rotate':
      return { exitCode: 0, issued: await keys.rotate(command.keyId, command.overlapSeconds, show) }
    case 'list':
      await print(reportList(await keys.list(), now))
      return done
    case 'show':
      await print(reportKey(await keys.show(command.keyId), now))
      return done
    case 'revoke':
      await print(reportKey(await keys.revoke(command.keyId), now))
      return done
    case 'unban':
      await print(reportKey(await keys.unban(command.keyId), now))
      return done
    case 'move':
      await print(reportKey(await keys.move(command.keyId, command.plan, command.allowance), now))
      return done
    case 'check': {
      const check = await keys.check(command.repair)
      await print(reportCheck(check))
      return { exitCode: check.findings.every(({ isRepaired }) => isRepaired) ? 0 : 1 }
    }
  }
}
