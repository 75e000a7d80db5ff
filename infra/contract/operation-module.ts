import type { ContractOperation } from './contract.ts'
import type { ContractParameter, JsonSchema } from './openapi.ts'
import { rule } from './rules.ts'
import { validatorCode } from './validator.ts'

/**
 * What `shared/http` needs of one operation: the kind of each parameter, what each field must be, the deprecation, and
 * ajv's code, which has no types. Each operation has its own module, so that a bundle contains no other.
 */
export const operationModule = (operation: ContractOperation): string => {
  const { operationId, method, parameters, body, deprecation } = operation
  const schemasIn = (place: ContractParameter['in']): Schemas =>
    parameters.filter((parameter) => parameter.in === place).map((parameter) => [parameter.name, parameter.schema])
  const [path, query, headers] = [schemasIn('path'), schemasIn('query'), schemasIn('header')]
  const fields: Schemas = Object.entries(body?.schema.properties ?? {})
  const defaults = query.filter(([, schema]) => schema.default !== undefined)
  const descriptor = {
    operationId,
    method,
    takesBody: body !== undefined,
    parameters: { path: kindsOf(path), query: kindsOf(query), headers: kindsOf(headers) },
    defaults: { query: Object.fromEntries(defaults.map(([field, schema]) => [field, schema.default])) },
    fields: { query: query.map(([field]) => field), body: fields.map(([field]) => field) },
    rules: {
      ...rulesOf('path', path),
      ...rulesOf('query', query),
      ...rulesOf('headers', headers),
      ...(body !== undefined && { '/body': 'a JSON object' }),
      ...rulesOf('body', fields),
    },
    deprecation: deprecation
      ? { ...deprecation, since: Date.parse(deprecation.since), sunset: Date.parse(deprecation.sunset) }
      : null,
  }
  const type = `import("../../http/operation-contract.ts").OperationContract['validate']`
  return `// @ts-nocheck
${validatorCode(operation).replace('export const validate =', `const validate: ${type} =`)}
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

const rulesOf = (place: string, schemas: Schemas): object =>
  Object.fromEntries(schemas.map(([field, schema]) => [`/${place}/${field}`, rule(schema, field)]))
