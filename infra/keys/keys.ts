/** `npm run keys`: issues, lists, inspects, rotates, moves, unbans and revokes API keys. */
import { systemClock } from '../../shared/clock.ts'
import { runCommand } from '../command-line/run-command.ts'
import type { KeyAdministration } from './administration.ts'
import { type KeyCommand, readKeyCommand, usage } from './key-command.ts'
import { type Report, reportIssued, reportKey, reportList } from './key-report.ts'
import { openLocalKeys } from './local-keys.ts'

const carryOut = async (keys: KeyAdministration, command: KeyCommand, now: number): Promise<Report> => {
  switch (command.action) {
    case 'issue':
      return reportIssued(await keys.issue(command), now)
    case 'list':
      return reportList(await keys.list(), now)
    case 'show':
      return reportKey(await keys.show(command.keyId), now)
    case 'revoke':
      return reportKey(await keys.revoke(command.keyId), now)
    case 'rotate':
      return reportIssued(await keys.rotate(command.keyId, command.overlapSeconds), now)
    case 'unban':
      return reportKey(await keys.unban(command.keyId), now)
    case 'move':
      return reportKey(await keys.move(command.keyId, command.plan, command.allowance), now)
  }
}

await runCommand(usage, async () => {
  const command = readKeyCommand(process.argv.slice(2))
  if (command === 'help') {
    console.log(usage)
    return
  }
  const { json, text } = await carryOut(openLocalKeys(command.data), command, systemClock())
  console.log(command.json ? JSON.stringify(json) : text)
})
