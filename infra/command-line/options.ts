import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { listed, suggestNearest } from './nearest.ts'
import { UserError } from './user-error.ts'

/** Parses one of some names. */
export const oneOf =
  <const Name extends string>(names: readonly Name[]) =>
  (text: string): Name => {
    const name = names.find((one) => one === text)
    if (name !== undefined) return name
    throw new InvalidArgumentError(`It must be ${listed(names)}. ${suggestNearest(text, names)}`.trimEnd())
  }

/** Parses a whole number, in decimal or as `1e6`. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = readNumber(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }

export const decimalNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = readNumber(text)
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
  }

/** NaN for what is no number in decimal or scientific notation. */
export const readNumber = (text: string): number => (/^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : Number.NaN)

/**
 * An option that must be there. commander checks its own required options before it looks for unknown ones, and would
 * call `--env` missing where it was mistyped.
 */
export const required = <Value>(value: Value | undefined, flags: string): Value => {
  if (value === undefined) throw new UserError(`The option ${flags} is required.`)
  return value
}

export const environmentFlags = '--env <name>'

export const environmentOption = <const Name extends string>(names: readonly Name[]) =>
  new Option(environmentFlags, `the environment: ${listed(names)}`).argParser(oneOf(names))

export const defaultDataFolder = '.local'

export const dataOption = new Option(
  '--data <folder>',
  `the data folder of the local environment (default: ${defaultDataFolder})`,
)

export const jsonOption = new Option('--json', 'print one JSON object')

export const confirmOption = (what: string) => new Option('--confirm <production>', `required ${what}`)

/**
 * Checks the option `--confirm`, without which a command changes nothing that callers of production would notice.
 *
 * @throws UserError where it is missing, or names another environment
 */
export const confirmProduction = (environment: string, confirm: string | undefined): void => {
  if (confirm !== undefined && confirm !== environment) {
    throw new UserError(`--confirm ${confirm} does not name the environment, which is ${environment}.`)
  }
  if (environment === 'production' && confirm === undefined) {
    throw new UserError('Callers of production would notice this. If that is meant, add --confirm production.')
  }
}

export const whyOption = new Option('--why <text>', 'the reason, for the audit').argParser((text) => {
  if (text.length <= longestReason) return text
  throw new InvalidArgumentError(`It must have at most ${longestReason} characters.`)
})

const longestReason = 500

export const urlOption = new Option(
  '--url <url>',
  "the API's base URL (default: that of the stack); https, except on this machine",
).argParser((text) => readBaseUrl(text))

/**
 * Reads the base URL of an API to which a command sends an API key, and refuses one that would send the key unencrypted
 * over a network.
 *
 * @param what the name of the value in a message
 * @returns it without a slash at its end
 */
export const readBaseUrl = (text: string, what = 'It'): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError(`${what} must be the base URL of the API, such as https://api.example.com/v1.`)
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new InvalidArgumentError(
      `${what} must begin with https://, because the API key is sent there; http:// is for this machine.`,
    )
  }
  return url.href.replace(/\/$/, '')
}

// WHATWG URL writes every form of an IPv4 address as four decimal numbers.
const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
