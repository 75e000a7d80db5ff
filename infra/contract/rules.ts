import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import { UserError } from '../command-line/user-error.ts'
import type { JsonSchema } from './openapi.ts'

/**
 * What a value must be, to follow "must be".
 *
 * @throws UserError when the schema says less than a caller has to know
 */
export const rule = (schema: JsonSchema, field: string): string => {
  const found = knownRule(schema)
  if (found !== undefined) return found
  throw new UserError(
    `Correct shared/contract/openapi.yaml: the field ${field} lacks the bounds that its callers are told. Give it minimum and maximum or maxLength, or describe it by an x-rule.`,
  )
}

/** The contract's text, if it has one, or else its bounds in words. `undefined` where it has neither. */
export const knownRule = (schema: JsonSchema): string | undefined => {
  const { type, format, minimum, maximum, minLength, maxLength } = schema
  if (schema['x-rule'] !== undefined) return schema['x-rule']
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'string' && maxLength !== undefined) {
    return `a string of ${minLength === undefined ? 'at most' : `${minLength} to`} ${maxLength} characters`
  }
  const isInt64 = format === 'int64'
  const [from, to] = [minimum ?? (isInt64 && smallestInt64), maximum ?? (isInt64 && largestInt64)]
  return type === 'integer' && from !== false && to !== false ? `an integer from ${from} to ${to}` : undefined
}
