/** `npm run keys`: issues, lists, inspects, rotates, moves, edits, unbans, revokes and checks API keys. */
import { systemClock } from '../../../shared/clock.ts'
import { interruption } from '../../command-line/interruption.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { carryOut, isChange, type Keys } from './carry-out.ts'
import { type KeyCommand, readKeyCommand } from './key-command.ts'
import { findLocalKeys } from './local-keys.ts'

/** After a second Ctrl-C. */
const interruptedExitCode = 130

const open = async (command: KeyCommand): Promise<Keys> => {
  if (command.environment === 'local') {
    return { administration: await findLocalKeys(command.data), readUsage: undefined }
  }
  // Loaded here, so that local keys need none of the clients of AWS.
  const { openDeployedKeys } = await import('./deployed/deployed-keys.ts')
  return openDeployedKeys(command.environment)
}

await runCommand(async () => {
  const command = readKeyCommand(commandLine())
  const signal = isChange(command) ? interruption(interruptedExitCode) : undefined
  signal?.addEventListener('abort', () => console.error('Finishing what was begun. Ctrl-C again ends at once.'))
  process.exitCode = await withUserErrors(async () => carryOut(await open(command), command, systemClock(), signal))
})
