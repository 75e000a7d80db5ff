/**
 * The program of all commands. Its first word names the command, as the scripts of package.json do.
 *
 *     node infra/launch.cjs infra/commands/run.ts keys list --env local
 */
import { setFlagsFromString } from 'node:v8'
import { runCommandLine } from '../command-line/command.ts'
import { runCommand } from '../command-line/run-command.ts'
import { UsageError } from '../command-line/user-error.ts'

const [name, ...words] = process.argv.slice(2)

/** Creates the command line of the named command. Other commands are not loaded: their code takes memory and time. */
const createNamedCommand = async () => {
  switch (name) {
    case 'audit':
      return (await import('./audit/audit-command.ts')).createAuditCommand()
    case 'keys':
      return (await import('./keys/keys-command.ts')).createKeysCommand()
    case 'pets':
      // V8 collects garbage sooner. A nightly file of 20,000 animals takes a third less memory.
      setFlagsFromString('--optimize-for-size')
      return (await import('./pets/pets-command.ts')).createPetsCommand()
    case 'smoke':
      return (await import('./smoke/smoke-command.ts')).createSmokeCommand()
    default:
      throw new UsageError('The first word must be audit, keys, pets or smoke.')
  }
}

await runCommand(async () => runCommandLine(await createNamedCommand(), words))
