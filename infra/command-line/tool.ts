import { Command, type CommanderError } from '@commander-js/extra-typings'
import { UserError } from './user-error.ts'

/**
 * The command line of a tool. A mistake in it throws a UserError; `--help` writes the help and throws a CommanderError,
 * which `runCommand` takes for success.
 *
 * @param call how the tool is called, such as `npm run seed --`
 */
export const tool = <const Call extends string>(call: Call, description: string) =>
  new Command(call)
    .description(description)
    .helpOption('--help', 'show this')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .exitOverride(refuse)

/** The words after the name of the program. */
export const commandLine = (): readonly string[] => process.argv.slice(2)

const refuse = (error: CommanderError): never => {
  if (error.exitCode === 0) throw error
  if (error.code === 'commander.help') throw new UserError('Name one of these commands.')
  const [reason = '', suggestion] = error.message.replace(/^error: /, '').split('\n(')
  const hint = suggestion?.replace(/\)$/, '') ?? (isAboutTheWhole.test(error.code) ? '--help shows what there is.' : '')
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.?]$/.test(reason) ? '' : '.'}`
  throw new UserError(`${sentence} ${hint}`.trimEnd())
}

const isAboutTheWhole = /\.(unknownOption|unknownCommand|excessArguments|missingArgument)$/
