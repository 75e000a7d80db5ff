import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import type { Contract, ContractOperation, JsonSchema } from './contract.ts'
import { generatedNotice } from './types-module.ts'

/**
 * What `shared/http` needs of one operation: the kind of each parameter, what each field must be, and the deprecation.
 * Each operation has its own module, so that a bundle contains no other.
 */
export const operationModule = (operation: ContractOperation, contract: Contract): string => {
  const descriptor = {
    operationId: operation.operationId,
    method: operation.method,
    takesBody: operation.body !== undefined,
    parameters: parameterKinds(operation),
    defaults: { query: queryDefaults(operation) },
    fields: fieldNames(operation, contract),
    rules: rules(operation, contract),
    deprecation: deprecation(operation),
  }
  return `${generatedNotice}import { validate } from './${operation.name}.validator.js'

export const ${operation.operationId} = {
  ...(${JSON.stringify(descriptor, null, 2)} as const),
  validate,
}
`
}

const places = { path: 'path', query: 'query', header: 'headers' } as const

const parameterKinds = (operation: ContractOperation): object => ({
  path: kindsOf(operation, 'path'),
  query: kindsOf(operation, 'query'),
  headers: kindsOf(operation, 'header'),
})

const kindsOf = (operation: ContractOperation, place: keyof typeof places): object =>
  Object.fromEntries(
    operation.parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => [parameter.name, parameterKind(parameter.schema)]),
  )

const parameterKind = (schema: JsonSchema): 'int64' | 'integer' | 'text' => {
  if (schema['type'] !== 'integer') return 'text'
  return schema['format'] === 'int64' ? 'int64' : 'integer'
}

const queryDefaults = (operation: ContractOperation): object =>
  Object.fromEntries(
    operation.parameters
      .filter((parameter) => parameter.in === 'query' && parameter.schema['default'] !== undefined)
      .map((parameter) => [parameter.name, parameter.schema['default']]),
  )

const fieldNames = (operation: ContractOperation, contract: Contract): object => ({
  query: operation.parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name),
  body: Object.keys(bodyProperties(operation, contract)),
})

const rules = (operation: ContractOperation, contract: Contract): object => ({
  ...Object.fromEntries(
    operation.parameters.map((parameter) => [`/${places[parameter.in]}/${parameter.name}`, rule(parameter.schema)]),
  ),
  ...(operation.body === undefined ? {} : { '/body': 'a JSON object' }),
  ...Object.fromEntries(
    Object.entries(bodyProperties(operation, contract)).map(([name, schema]) => [
      `/body/${name}`,
      rule(contract.resolve(schema)),
    ]),
  ),
})

const bodyProperties = (operation: ContractOperation, contract: Contract): Record<string, unknown> => {
  if (operation.body === undefined) return {}
  const { properties } = contract.resolve(operation.body)
  return Object.fromEntries(Object.entries(properties ?? {}))
}

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
