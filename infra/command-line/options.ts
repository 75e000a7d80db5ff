import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

/** NaN for what is no number in decimal or scientific notation, such as `1e6`. */
export const readNumber = (text: string): number => (/^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : Number.NaN)

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = readNumber(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }

export const defaultDataFolder = '.local'

export const dataOption = new Option(
  '--data <folder>',
  `the data folder of the local environment (default: ${defaultDataFolder})`,
)
