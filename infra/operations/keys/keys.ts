/** `npm run keys`: issues, lists, inspects, rotates, moves, edits, unbans, revokes and checks API keys. */
import { systemClock } from '../../../shared/clock.ts'
import { interruption } from '../../command-line/interruption.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import type { Target } from '../target/target-tool.ts'
import { carryOut } from './carry-out.ts'
import { type KeyWork, readKeyCommand } from './key-command.ts'
import { findLocalKeys } from './local-keys.ts'

const open = async (target: Target): Promise<Pick<KeyWork, 'keys' | 'readUsage'>> => {
  if (target.environment === 'local') return { keys: await findLocalKeys(target.data), readUsage: undefined }
  // Loaded here, so that local keys need none of the clients of AWS.
  const { openDeployedKeys } = await import('./deployed/deployed-keys.ts')
  const { administration, readUsage } = await openDeployedKeys(target.environment)
  return { keys: administration, readUsage }
}

await runCommand(async () => {
  const command = readKeyCommand(commandLine())
  const signal = command.changes === undefined ? undefined : interruption()
  signal?.addEventListener('abort', () => console.error('Finishing what was begun. Ctrl-C again ends at once.'))
  await withUserErrors(async () => carryOut({ ...(await open(command.target)), now: systemClock(), signal }, command))
})
