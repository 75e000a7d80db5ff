import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import type { JsonSchema } from './openapi.ts'

/** What a value must be, to follow "must be": the contract's text, or else its bounds. `undefined` where it has neither. */
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
