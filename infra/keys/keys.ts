/** `npm run keys`: issues, lists, inspects, rotates, moves, unbans and revokes API keys. */
import { systemClock } from '../../shared/clock.ts'
import { runCommand } from '../command-line/run-command.ts'
import { carryOut } from './carry-out.ts'
import { type KeyCommand, readKeyCommand, usage } from './key-command.ts'
import { findLocalKeys } from './local-keys.ts'

const run = async (command: KeyCommand): Promise<void> => {
  const print = ({ json, text }: { json: unknown; text: string }) =>
    console.log(command.json ? JSON.stringify(json) : text)
  if (command.environment === 'local') {
    print((await carryOut(await findLocalKeys(command.data), command, systemClock())).report)
    return
  }
  // Loaded here, so that local keys need none of the clients of AWS.
  const { runOnDeployed } = await import('./deployed/run-on-deployed.ts')
  await runOnDeployed(command, print)
}

await runCommand(usage, async () => {
  const command = readKeyCommand(process.argv.slice(2))
  if (command === 'help') console.log(usage)
  else await run(command)
})
