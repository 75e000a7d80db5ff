import type { IssuedKey, KeyAdministration } from './administration.ts'
import type { KeyAction } from './key-command.ts'
import { type Report, reportIssued, reportKey, reportList } from './key-report.ts'

export interface Outcome {
  readonly report: Report
  /** The key that was made, if one was. */
  readonly issued?: IssuedKey
}

/** Does what a command asks for. */
export const carryOut = async (keys: KeyAdministration, action: KeyAction, now: number): Promise<Outcome> => {
  switch (action.action) {
    case 'issue':
      return made(await keys.issue(action), now)
    case 'list':
      return { report: reportList(await keys.list(), now) }
    case 'show':
      return { report: reportKey(await keys.show(action.keyId), now) }
    case 'revoke':
      return { report: reportKey(await keys.revoke(action.keyId), now) }
    case 'rotate':
      return made(await keys.rotate(action.keyId, action.overlapSeconds), now)
    case 'unban':
      return { report: reportKey(await keys.unban(action.keyId), now) }
    case 'move':
      return { report: reportKey(await keys.move(action.keyId, action.plan, action.allowance), now) }
  }
}

const made = (issued: IssuedKey, now: number): Outcome => ({ report: reportIssued(issued, now), issued })
