/** The part that all command lines have in common. */
import { resolve } from 'node:path'
import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import packageFile from '../../package.json' with { type: 'json' }
import { requireAllOptions } from './npm-options.ts'
import { redactApiKeys, runCommand } from './run-command.ts'

const ignoreError = (): void => {}

/**
 * Lets a command go on after the reader of one of its streams has ended, for example `head`. Without a listener the
 * error would end the process. `writeOutput` reports errors of standard output.
 */
const ignoreClosedStreams = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    // If one process runs several commands, it has the listener once.
    stream.off('error', ignoreError)
    stream.on('error', ignoreError)
  }
}

/**
 * Creates the command line of a command. A mistake of the operator in it ends the process with `exitCodes.usage`.
 *
 * @example
 * await runCommandLine(createCommand('npm run audit --', 'Shows changes.').action(() => printReport(report, false)))
 *
 * @param call how the command is called, for example `npm run audit --`
 */
export const createCommand = <const Call extends string>(call: Call, description: string) =>
  new Command(call)
    .description(description)
    .helpOption('-h, --help', 'show this')
    .version(packageFile.version, '--version', 'show the version of this project')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => process.stderr.write(redactApiKeys(text)),
    })
    // Commander throws a CommanderError, which `runCommand` handles, instead of ending the process.
    .exitOverride()

/**
 * Formats examples for the end of a help text.
 *
 * @example
 * keys.command('unban <id>').addHelpText('after', formatExamples('npm run keys -- unban ID --env staging'))
 */
export const formatExamples = (...examples: readonly string[]): string => {
  const lines = examples.map((example) => `  ${example}`)
  return ['', 'Examples:', ...lines].join('\n')
}

/**
 * Makes Commander check for missing options after it has checked for unknown ones. In its own order it would report
 * `--sorce x` as a missing `--source`.
 */
const requireOptionsLast = (command: CommandUnknownOpts): void => {
  for (const option of command.options.filter(({ mandatory }) => mandatory)) {
    option.mandatory = false
    command.hook('preAction', () => {
      const isMissing = command.getOptionValue(option.attributeName()) === undefined
      if (isMissing) command.error(`error: required option '${option.flags}' not specified`)
    })
  }
  for (const subcommand of command.commands) requireOptionsLast(subcommand)
}

/** Parses the command line and runs the action that it names. */
export const runCommandLine = (
  command: CommandUnknownOpts,
  words: readonly string[] = process.argv.slice(2),
): Promise<void> => {
  ignoreClosedStreams()
  requireOptionsLast(command)
  return runCommand(() => {
    requireAllOptions(command, words)
    return command.parseAsync(words, { from: 'user' })
  })
}

/**
 * Creates a parser for an option whose value is a whole number.
 *
 * @example
 * command.option('--port <n>', 'listen on this port', createWholeNumberParser(0, 65_535))
 */
export const createWholeNumberParser =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  }

/**
 * Resolves a path of the command line to an absolute path. A relative path begins in the folder where the operator
 * called npm: npm runs the command in the folder of the project, and passes the operator's folder as INIT_CWD. Without
 * npm, a relative path begins in the current folder.
 *
 * @example
 * command.option('--out <file>', 'the file to write', resolveOperatorPath)
 */
export const resolveOperatorPath = (path: string): string => resolve(process.env['INIT_CWD'] ?? '', path)

/** Default data folder. The path is relative to the folder of the project, in which npm runs every command. */
export const defaultDataFolder = '.local'

export const dataFolderOption = new Option(
  '--data <folder>',
  `the data folder of the local environment (default: ${defaultDataFolder} in the folder of the project)`,
).argParser(resolveOperatorPath)
