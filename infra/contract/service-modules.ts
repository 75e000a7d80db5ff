/** What `shared/contract/generated` has beside the types, as texts of modules. */
import { UserError } from '../command-line/user-error.ts'
import type { Contract, ContractOperation } from './contract.ts'
import { type ContractParameter, describeConstraint, type JsonSchema } from './openapi.ts'
import { generateValidator } from './validator.ts'

/** The catalogue of errors. Each error is a constant of its own, so that a bundle has only those that it names. */
export const generateErrorsModule = ({ document: { components } }: Contract): string => {
  const codes = components.schemas['ErrorCode']?.enum ?? []
  const errors = codes.map((code) => {
    const { value } = components.examples[code] ?? {}
    if (value?.code !== code) throw new UserError(`Add an example of ${code} to shared/contract/openapi.yaml.`)
    const { status, message } = value
    return `export const ${code} = ${JSON.stringify({ status, message })} as const`
  })
  return `import type { components } from './types.ts'

export type ErrorCode = components['schemas']['ErrorCode']

${errors.join('\n')}

/** Every error that a caller can receive, with its message where there is no more exact one. */
export const catalogue = {
  ${codes.join(',\n  ')},
} as const satisfies Record<ErrorCode, { readonly status: number; readonly message: string }>
`
}

/**
 * The paths of the contract with their methods, for the responses to requests that name no operation. Sorted, so that
 * `/pets/count` comes before `/pets/{petId}`, as in API Gateway.
 */
export const generateRoutesModule = ({ operations }: Contract): string => {
  const routes = [...Map.groupBy(operations, ({ path }) => path)]
    .map(([path, group]) => ({ path, methods: group.map(({ method }) => method) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const names = operations.map(({ name }) => `'${name}'`).toSorted()
  return `export const routes = ${JSON.stringify(routes, null, 2)} as const

/** The operations, by their folders in \`functions/\`. */
export type OperationName = ${names.join(' | ')}
`
}

/**
 * What `shared/http` needs of one operation: the kind of each parameter, what each field must be, the deprecation, and
 * ajv's code, which has no types. Each operation has its own module, so that a bundle contains no other.
 */
export const generateOperationModule = (operation: ContractOperation): string => {
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
${generateValidator(operation).replace('export const validate =', `const validate: ${type} =`)}
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

/** @throws UserError when the schema says less than a caller has to know */
export const rule = (schema: JsonSchema, field: string): string => {
  const found = describeConstraint(schema)
  if (found !== undefined) return found
  throw new UserError(
    `Correct shared/contract/openapi.yaml: the field ${field} lacks the bounds that its callers are told. Give it minimum and maximum or maxLength, or describe it by an x-rule.`,
  )
}
