import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import { UserError } from '../command-line/user-error.ts'
import type { ContractOperation } from './contract.ts'
import type { ContractParameter, JsonSchema } from './openapi.ts'
import { generatedNotice } from './types-module.ts'

/**
 * What `shared/http` needs of one operation: the kind of each parameter, what each field must be, and the deprecation.
 * Each operation has its own module, so that a bundle contains no other.
 */
export const operationModule = (operation: ContractOperation): string => {
  const { operationId, name, method, parameters, body } = operation
  const schemasIn = (place: ContractParameter['in']): Schemas =>
    parameters.filter((parameter) => parameter.in === place).map((parameter) => [parameter.name, parameter.schema])
  const [path, query, headers] = [schemasIn('path'), schemasIn('query'), schemasIn('header')]
  const fields: Schemas = Object.entries(body?.schema.properties ?? {})
  const descriptor = {
    operationId,
    method,
    takesBody: body !== undefined,
    parameters: { path: kindsOf(path), query: kindsOf(query), headers: kindsOf(headers) },
    defaults: { query: defaultsOf(query) },
    fields: { query: query.map(([field]) => field), body: fields.map(([field]) => field) },
    rules: {
      ...rulesOf('path', path),
      ...rulesOf('query', query),
      ...rulesOf('headers', headers),
      ...(body === undefined ? {} : { '/body': 'a JSON object' }),
      ...rulesOf('body', fields),
    },
    deprecation: deprecation(operation),
  }
  return `${generatedNotice}import { validate } from './${name}.validator.js'

export const ${operationId} = {
  ...(${JSON.stringify(descriptor, null, 2)} as const),
  validate,
}
`
}

type Schemas = readonly (readonly [field: string, schema: JsonSchema])[]

const kindsOf = (schemas: Schemas): object =>
  Object.fromEntries(schemas.map(([field, schema]) => [field, parameterKind(schema)]))

const parameterKind = ({ type, format }: JsonSchema): 'int64' | 'integer' | 'text' => {
  if (type !== 'integer') return 'text'
  return format === 'int64' ? 'int64' : 'integer'
}

const defaultsOf = (schemas: Schemas): object =>
  Object.fromEntries(
    schemas.flatMap(([field, schema]) => (schema.default === undefined ? [] : [[field, schema.default]])),
  )

const rulesOf = (place: string, schemas: Schemas): object =>
  Object.fromEntries(schemas.map(([field, schema]) => [`/${place}/${field}`, rule(schema, field)]))

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
    return minLength === undefined
      ? `a string of at most ${maxLength} characters`
      : `a string of ${minLength} to ${maxLength} characters`
  }
  const isInt64 = format === 'int64'
  const [from, to] = [minimum ?? (isInt64 && smallestInt64), maximum ?? (isInt64 && largestInt64)]
  return type === 'integer' && from !== false && to !== false ? `an integer from ${from} to ${to}` : undefined
}

const deprecation = (operation: ContractOperation): object | null => {
  if (operation.deprecation === undefined) return null
  const { since, sunset, replacement, advice } = operation.deprecation
  return { since: Date.parse(since), sunset: Date.parse(sunset), replacement, advice }
}
