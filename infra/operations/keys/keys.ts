/** `npm run keys`: issues, lists, inspects, rotates, moves, unbans, revokes and checks API keys. */
import { systemClock } from '../../../shared/clock.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { carryOut } from './carry-out.ts'
import { readKeyCommand } from './key-command.ts'
import { findLocalKeys } from './local-keys.ts'

await runCommand(async () => {
  const command = readKeyCommand(commandLine())
  if (command.environment === 'local') {
    const { exitCode } = await carryOut(await findLocalKeys(command.data), command, systemClock())
    process.exitCode = exitCode
    return
  }
  // Loaded here, so that local keys need none of the clients of AWS.
  const { runOnDeployed } = await import('./deployed/run-on-deployed.ts')
  await runOnDeployed(command)
})
