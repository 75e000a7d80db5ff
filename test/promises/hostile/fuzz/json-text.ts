import fc from 'fast-check'
import { parseExactJson } from '../../../../shared/exact-json.ts'
import { isObject, type Value } from './schema.ts'

/** The texts that all mean one value: other spacing, order, escapes and spellings of numbers. */
export const spellings = (value: Value): fc.Arbitrary<string> => {
  if (typeof value === 'string') return stringSpellings(value)
  if (typeof value === 'bigint') return integerSpellings(value)
  if (Array.isArray(value)) return list(value.map(spellings), '[', ']')
  if (!isObject(value)) return fc.constant(JSON.stringify(value))
  const members = Object.entries(value).map(([name, member]) =>
    fc.tuple(stringSpellings(name), space, spellings(member)).map(([key, gap, text]) => `${key}${gap}:${text}`),
  )
  return fc.shuffledSubarray(members, { minLength: members.length }).chain((shuffled) => list(shuffled, '{', '}'))
}

/** What a JSON text means, every integer exactly. `undefined` where it is no JSON. */
export const readText = (text: string): Value | undefined => {
  try {
    return parseExactJson(text) as Value
  } catch {
    return undefined
  }
}

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n')

const list = (parts: readonly fc.Arbitrary<string>[], opening: string, closing: string): fc.Arbitrary<string> =>
  fc.tuple(fc.tuple(...parts), space).map(([texts, gap]) => opening + gap + texts.join(`${gap},${gap}`) + gap + closing)

const stringSpellings = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom<(text: string) => string>(JSON.stringify, JSON.stringify, escapeAll).map((write) => write(text))

const escapeAll = (text: string): string =>
  `"${text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`

const integerSpellings = (value: bigint): fc.Arbitrary<string> =>
  fc.constantFrom(`${value}`, `${value}`, `${value}.0`, `${value}e0`, `${value * 10n}E-1`, `${value}.000e+00`)
