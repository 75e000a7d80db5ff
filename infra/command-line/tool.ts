/** Common part of all command-line tools. */
import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { redactApiKeys, runCommand } from './run-command.ts'

const ignoreError = (): void => {}

/** Writes a help text. A program that reads only its beginning, such as `head`, causes no error. */
const writeHelp = (text: string): void => {
  // Another help text of the same process must not add the listener again.
  process.stdout.off('error', ignoreError)
  process.stdout.on('error', ignoreError)
  process.stdout.write(text)
}

/**
 * Creates the command line of a tool.
 *
 * @example
 * await runTool(createTool('npm run cost --', 'Estimates a month on AWS.').action(() => printReport(report, false)))
 *
 * @param call how the tool is called, for example `npm run seed --`
 */
export const createTool = <const Call extends string>(call: Call, description: string) =>
  new Command(call)
    .description(description)
    .helpOption('--help', 'show this')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: writeHelp,
      writeErr: (text) => process.stderr.write(redactApiKeys(text)),
    })
    .exitOverride()

/** Parses the command line and runs the action that it names. */
export const runTool = (command: CommandUnknownOpts, words: readonly string[] = process.argv.slice(2)): Promise<void> =>
  runCommand(() => command.parseAsync(words, { from: 'user' }))

/** Parses a number in decimal or scientific notation, for example `1e6`. Any other text is NaN. */
export const parseNumber = (text: string): number => {
  const isNumber = /^\d+(\.\d+)?(e\d+)?$/i.test(text)
  return isNumber ? Number(text) : Number.NaN
}

/**
 * Creates a parser for an option whose value is a whole number.
 *
 * @example
 * tool.option('--port <n>', 'listen on this port', createWholeNumberParser(0, 65_535))
 */
export const createWholeNumberParser =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = parseNumber(text)
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return value
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  }

export const defaultDataFolder = '.local'

export const dataFolderOption = new Option(
  '--data <folder>',
  `the data folder of the local environment (default: ${defaultDataFolder})`,
)
