import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import type { Contract, ContractOperation, ContractParameter, JsonSchema } from './contract.ts'
import { generatedNotice } from './types-module.ts'

/**
 * What `shared/http` needs of one operation: the kind of each parameter, what each field must be, and the deprecation.
 * Each operation has its own module, so that a bundle contains no other.
 */
export const operationModule = (operation: ContractOperation, contract: Contract): string => {
  const { operationId, name, method, parameters, body } = operation
  const schemasIn = (place: ContractParameter['in']): Schemas =>
    parameters.filter((parameter) => parameter.in === place).map((parameter) => [parameter.name, parameter.schema])
  const [path, query, headers] = [schemasIn('path'), schemasIn('query'), schemasIn('header')]
  const properties = body === undefined ? {} : contract.resolve(contract.resolve(body)['properties'] ?? {})
  const fields: Schemas = Object.entries(properties).map(([field, schema]) => [field, contract.resolve(schema)])
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

const parameterKind = (schema: JsonSchema): 'int64' | 'integer' | 'text' => {
  if (schema['type'] !== 'integer') return 'text'
  return schema['format'] === 'int64' ? 'int64' : 'integer'
}

const defaultsOf = (schemas: Schemas): object =>
  Object.fromEntries(
    schemas.flatMap(([field, schema]) => (schema['default'] === undefined ? [] : [[field, schema['default']]])),
  )

const rulesOf = (place: string, schemas: Schemas): object =>
  Object.fromEntries(schemas.map(([field, schema]) => [`/${place}/${field}`, rule(schema)]))

/** What a value must be, to follow "must be": the contract's text, if it has one. */
export const rule = (schema: JsonSchema): string => {
  if (typeof schema['x-rule'] === 'string') return schema['x-rule']
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].join(', ')}`
  if (schema['type'] === 'integer') {
    return `an integer from ${schema['minimum'] ?? smallestInt64} to ${schema['maximum'] ?? largestInt64}`
  }
  if (schema['type'] === 'string') return `a string of ${schema['minLength']} to ${schema['maxLength']} characters`
  throw new Error(`The contract has a field without a rule: ${JSON.stringify(schema)}. Give it an x-rule.`)
}

const deprecation = (operation: ContractOperation): object | null => {
  if (operation.deprecation === undefined) return null
  const { since, sunset, replacement, advice } = operation.deprecation
  return { since: Date.parse(since), sunset: Date.parse(sunset), replacement, advice }
}
