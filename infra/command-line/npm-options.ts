/**
 * Options that npm takes for itself. npm passes on only what stands after `--`. An option before it, known to npm or
 * not, reaches the script as an environment variable `npm_config_<name>`, and a value of it sometimes as an argument:
 * `npm run pets remove 5 --dry-run -- --env local` would remove the pet. PowerShell drops the first `--` of a line
 * (npm/cli issue 4903), so that npm takes all options there.
 */
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { UsageError } from './user-error.ts'

/**
 * Options whose loss does no harm: `--json` and `--version` decide only what is printed, and a command that lacks
 * `--all` asks for it. They are not looked for, because a user's `.npmrc` may have settings of the same names.
 */
const harmlessOptions: readonly string[] = ['json', 'all', 'version']

/** npm reads `--plan` as its own short options `-p -l -a -n`. Of these, `-l` sets this variable. */
const variableOfPlan = 'npm_config_long'

/** An option that npm has taken. */
interface TakenOption {
  readonly option: Option
  /** Value that npm has kept; undefined if the option has none, or if npm has passed it on as an argument. */
  readonly value: string | undefined
}

/**
 * Checks that npm has taken no option of a command whose loss would change what the command does.
 *
 * @param words arguments of the command, as npm has passed them on
 * @throws UsageError with the line to type
 */
export const requireAllOptions = (
  command: CommandUnknownOpts,
  words: readonly string[],
  variables: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): void => {
  const taken = findTakenOptions(command, words, variables)
  if (taken.length === 0) return
  const names = taken.map(({ option }) => option.long).join(' and ')
  // PowerShell drops `--`, but not in quotation marks.
  const separator = platform === 'win32' ? '"--"' : '--'
  // The name of a command has the separator at its end, as in `npm run pets --`.
  const call = command.name().replace(' --silent', '').replace(/ --$/, '')
  const line = `${call} ${separator} ${formatWords(words, taken) ?? '...'}`
  throw new UsageError(`npm has taken ${names} for itself. Nothing was done. Write ${separator} before it: ${line}`)
}

/** Finds the options of a command that npm has taken. An option that is also among the words is not lost. */
export const findTakenOptions = (
  command: CommandUnknownOpts,
  words: readonly string[],
  variables: NodeJS.ProcessEnv,
): readonly TakenOption[] => {
  const subcommand = command.commands.find((candidate) => words.includes(candidate.name()))
  const options = [...(subcommand?.options ?? []), ...command.options]
  const isGiven = ({ long }: Option): boolean => words.some((word) => word === long || word.startsWith(`${long}=`))

  return options
    .filter((option) => !harmlessOptions.includes(option.name()) && !isGiven(option))
    .flatMap((option) => findTakenOption(option, variables) ?? [])
}

const findTakenOption = (option: Option, variables: NodeJS.ProcessEnv): TakenOption | undefined => {
  const text = Object.entries(variables).find(([variable]) => namesOption(variable, option))?.[1]
  // A user's `.npmrc` may have a scope for packages, such as `scope=@our-company`.
  const isScopeOfPackages = option.name() === 'scope' && text?.startsWith('@')
  if (text === undefined || isScopeOfPackages) return undefined
  // npm sets "true" for an option whose value it passes on.
  const value = option.isBoolean() || text === 'true' ? undefined : text
  return { option, value }
}

/**
 * Whether a variable stands for an option. `--dryrun` and `--dry` are meant for `--dry-run` too. A name of one or two
 * letters is left out, because it is the beginning of many options.
 */
const namesOption = (variable: string, option: Option): boolean => {
  if (option.name() === 'plan') return variable === variableOfPlan
  const [, name] = /^npm_config_(\w{3,})$/.exec(variable) ?? []
  return name !== undefined && option.name().replaceAll('-', '').startsWith(name.replaceAll('_', ''))
}

/**
 * Formats the words of the line to type. npm passes on the values of most options as arguments, which stand before the
 * words that followed `--`.
 *
 * @returns undefined if it is not certain which argument is the value of which option
 */
const formatWords = (words: readonly string[], taken: readonly TakenOption[]): string | undefined => {
  const firstOption = words.findIndex((word) => word.startsWith('-'))
  const passedArguments = firstOption === -1 ? [...words] : words.slice(0, firstOption)
  const followingWords = words.slice(passedArguments.length)

  const needsValue = ({ option, value }: TakenOption): boolean => !option.isBoolean() && value === undefined

  /** Takes the value of an option: the one that npm has kept, or else the last argument that can be the value. */
  const takeValue = (takenOption: TakenOption): string | undefined => {
    if (!needsValue(takenOption)) return takenOption.value
    const { argChoices } = takenOption.option
    const index = passedArguments.findLastIndex((word) => argChoices?.includes(word) ?? true)
    return index === -1 ? undefined : passedArguments.splice(index, 1)[0]
  }

  const withChoices = taken.filter(({ option }) => option.argChoices !== undefined)
  const withoutChoices = taken.filter(({ option }) => option.argChoices === undefined)
  if (withoutChoices.filter(needsValue).length > 1) return undefined

  // An option without choices allows any argument, so the options with choices take theirs first.
  const optionWords = [...withChoices, ...withoutChoices]
    .flatMap((takenOption) => [takenOption.option.long, takeValue(takenOption)])
    .filter((word) => typeof word === 'string')
  return [...passedArguments, ...followingWords, ...optionWords].map(quoteWord).join(' ')
}

const quoteWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`)
