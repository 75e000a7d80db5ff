import type { AuditLines } from './audit-lines.ts'
import type { History } from './history.ts'

/**
 * Compares the outcomes in the audit with what happened, when all commands have ended.
 *
 * @param tool name of the commands, such as `pets`
 * @param happened the changes that happened, by their `changeId`
 */
export const checkOutcomes = (
  history: History,
  audit: AuditLines,
  tool: 'keys',
  happened: ReadonlySet<string>,
): void => {
  const falselyDone = audit.findEnded(tool, 'done').filter(({ changeId }) => !happened.has(changeId))
  for (const { action, who, ids } of falselyDone) {
    const text = `${action} of ${who} is done in the audit, and has changed nothing`
    history.report('no change is done in the audit that did not happen', ids.join(), text)
  }
  const falselyFailed = audit.findEnded(tool, 'failed').filter(({ changeId }) => happened.has(changeId))
  for (const { action, who, ids } of falselyFailed) {
    const text = `${action} of ${who} is failed in the audit, and was made`
    history.report('no change that happened is failed in the audit', ids.join(), text)
  }
}

/** Reports a change that the audit does not have, does not have once, or has with other values. */
export const reportWrongLines = (history: History, id: string, text: string): void =>
  history.report('the audit has each change once, with what it replaced', id, text)
