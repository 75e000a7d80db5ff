import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { redactApiKeys, runCommand } from './run-command.ts'

/** Who reads the help may end before it does, such as `head`. */
const unread = (): void => {}
const writeOut = (text: string) => process.stdout.off('error', unread).on('error', unread).write(text)

/** The command line of a tool. @param call how it is called, such as `npm run seed --` */
export const createTool = <const Call extends string>(call: Call, description: string) =>
  new Command(call)
    .description(description)
    .helpOption('--help', 'show this')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut, writeErr: (text) => process.stderr.write(redactApiKeys(text)) })
    .exitOverride()

/** Parses the command line, and runs the action that it names. */
export const runTool = (command: CommandUnknownOpts, line: readonly string[] = process.argv.slice(2)): Promise<void> =>
  runCommand(() => command.parseAsync(line, { from: 'user' }))

/** NaN for what is no number in decimal or scientific notation, such as `1e6`. */
export const parseNumber = (text: string): number => (/^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : Number.NaN)

export const parseWholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = parseNumber(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }

export const defaultDataFolder = '.local'

export const dataFolderOption = new Option(
  '--data <folder>',
  `the data folder of the local environment (default: ${defaultDataFolder})`,
)
