import { UserError } from '../command-line/user-error.ts'

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws UserError that names what was expected where. */
export const asObject = (value: unknown, what: string): JsonObject => {
  if (!isObject(value)) throw new UserError(`${what} must be an object.`)
  return value
}

/** @throws UserError that names what was expected where. */
export const asText = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw new UserError(`${what} must be a text.`)
  return value
}

/** Gives an absent list as an empty one. @throws UserError for anything else that is no list. */
export const asList = (value: unknown, what: string): readonly unknown[] => {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new UserError(`${what} must be a list.`)
  return value
}

/** CloudFormation takes `"60"` where it takes `60`. @throws UserError for anything else. */
export const asNumber = (value: unknown, what: string): number => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new UserError(`${what} must be a number.`)
  return number
}

/** An object whose values are all texts; an absent one is empty. */
export const asTexts = (value: unknown, what: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(value === undefined ? {} : asObject(value, what)).map(([key, text]) => [
      key,
      asText(text, `${what}.${key}`),
    ]),
  )
