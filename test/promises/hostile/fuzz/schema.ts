import type { JsonSchema } from '../../../../infra/contract/openapi.ts'

/** A JSON value whose integers are exact. */
export type Value = null | boolean | bigint | number | string | readonly Value[] | { readonly [name: string]: Value }

/** A schema of the contract, with its bounds filled in. */
export interface Schema {
  readonly type: string
  readonly choices: readonly string[] | undefined
  readonly smallest: bigint
  readonly largest: bigint
  /** Both in characters; `longest` is infinite where the contract sets no bound. */
  readonly shortest: number
  readonly longest: number
  readonly pattern: RegExp
  readonly required: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, Schema>
}

const ranges: Readonly<Record<string, { readonly smallest: bigint; readonly largest: bigint }>> = {
  int32: { smallest: -(2n ** 31n), largest: 2n ** 31n - 1n },
  int64: { smallest: -(2n ** 63n), largest: 2n ** 63n - 1n },
}

/** A keyword that is not read here makes values that are taken for valid, and refused: then the test fails. */
export const readSchema = (schema: JsonSchema): Schema => {
  const { type, minimum, maximum, minLength, maxLength, pattern, required, properties } = schema
  const range = ranges[String(schema.format)]
  return {
    type: String(type),
    choices: schema.enum,
    smallest: typeof minimum === 'number' ? BigInt(minimum) : (range?.smallest ?? 0n),
    largest: typeof maximum === 'number' ? BigInt(maximum) : (range?.largest ?? 0n),
    shortest: Number(minLength ?? 0),
    longest: Number(maxLength ?? Number.POSITIVE_INFINITY),
    pattern: new RegExp(String(pattern ?? ''), 'u'),
    required: new Set(Array.isArray(required) ? required.map(String) : []),
    properties: new Map(Object.entries(properties ?? {}).map(([name, property]) => [name, readSchema(property)])),
  }
}

/** Judges a value a second time: the validator that the service has is what is tested. */
export const isValid = (schema: Schema, value: Value): boolean => {
  switch (schema.type) {
    case 'integer':
      return typeof value === 'bigint' && value >= schema.smallest && value <= schema.largest
    case 'string':
      return typeof value === 'string' && isValidText(schema, value)
    case 'object':
      return isObject(value) && isValidObject(schema, value)
    default:
      throw new Error(`Say what values the type ${schema.type} allows.`)
  }
}

const isValidText = ({ choices, shortest, longest, pattern }: Schema, text: string): boolean => {
  const { length } = [...text]
  return length >= shortest && length <= longest && pattern.test(text) && (choices?.includes(text) ?? true)
}

const isValidObject = ({ required, properties }: Schema, value: { readonly [name: string]: Value }): boolean =>
  [...required].every((name) => Object.hasOwn(value, name)) &&
  Object.entries(value).every(([name, member]) => {
    const property = properties.get(name)
    return property !== undefined && isValid(property, member)
  })

export const isObject = (value: Value): value is { readonly [name: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A parameter's text: an integer has one spelling only. */
export const isValidParameter = (schema: Schema, text: string): boolean =>
  schema.type === 'integer' ? /^(0|-?[1-9]\d*)$/.test(text) && isValid(schema, BigInt(text)) : isValid(schema, text)
