import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { runCommand, withoutKeys } from './run-command.ts'

/**
 * The command line of a tool.
 *
 * @param call how the tool is called, such as `npm run seed --`
 */
export const tool = <const Call extends string>(call: Call, description: string) =>
  new Command(call)
    .description(description)
    .helpOption('--help', 'show this')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeErr: (text) => process.stderr.write(withoutKeys(text)) })
    .exitOverride()

/** Parses the command line, and runs the action that it names. */
export const runTool = (command: CommandUnknownOpts, line: readonly string[] = process.argv.slice(2)): Promise<void> =>
  runCommand(() => command.parseAsync(line, { from: 'user' }))
