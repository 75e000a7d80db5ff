/** Generates the modules of `shared/contract/generated` except the types. */
import { UserError } from '../command-line/user-error.ts'
import type { Contract, ContractOperation } from './contract.ts'
import { replacePart } from './edit-text.ts'
import { type ContractParameter, describeConstraint, type JsonSchema } from './openapi.ts'
import { generateValidator } from './validator.ts'

/**
 * Generates the catalogue of errors. Each error is a constant of its own, so that a bundle contains only the errors
 * that its code names.
 */
export const generateErrorsModule = ({ document: { components } }: Contract): string => {
  const codes = components.schemas['ErrorCode']?.enum ?? []
  const constants = codes.map((code) => {
    const example = components.examples[code]?.value
    if (example?.code !== code) throw new UserError(`Add an example of ${code} to shared/contract/openapi.yaml.`)
    const { status, message } = example
    return `export const ${code} = ${JSON.stringify({ status, message })} as const`
  })
  return `import type { components } from './types.ts'

export type ErrorCode = components['schemas']['ErrorCode']

${constants.join('\n')}

/** Every error that a caller can receive, with its message where there is no more exact one. */
export const catalogue = {
  ${codes.join(',\n  ')},
} as const satisfies Record<ErrorCode, { readonly status: number; readonly message: string }>
`
}

/**
 * Generates the paths of the contract with their methods, for the responses to requests that name no operation. They
 * are sorted, so that `/pets/count` comes before `/pets/{petId}`, as in API Gateway.
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
 * Generates the module of one operation for `shared/http`: the kinds of its parameters, the constraints of its fields,
 * its deprecation, and ajv's validator, which has no types. Each operation has its own module, so that a bundle
 * contains only one.
 */
export const generateOperationModule = (operation: ContractOperation): string => {
  const { name, operationId } = operation
  const file = `shared/contract/generated/${name}.ts`
  const validator = replacePart(generateValidator(operation, file), {
    file,
    purpose: 'declare the type of the validator',
    part: 'export const validate =',
    replacement: `const validate: import("../../http/operation-contract.ts").OperationContract['validate'] =`,
  })
  return `// @ts-nocheck
${validator}
export const ${operationId} = {
  ...(${JSON.stringify(describeOperation(operation), null, 2)} as const),
  validate,
}
`
}

/** Schemas by the name of a parameter or of a field of the body. */
type Schemas = readonly (readonly [field: string, schema: JsonSchema])[]

const describeOperation = ({ operationId, method, parameters, body, deprecation }: ContractOperation): object => {
  const findSchemas = (place: ContractParameter['in']): Schemas =>
    parameters.filter((parameter) => parameter.in === place).map(({ name, schema }) => [name, schema])
  const path = findSchemas('path')
  const query = findSchemas('query')
  const headers = findSchemas('header')
  const fields: Schemas = Object.entries(body?.schema.properties ?? {})

  return {
    operationId,
    method,
    takesBody: body !== undefined,
    parameters: {
      path: listKinds(path),
      query: listKinds(query),
      headers: listKinds(headers),
    },
    defaults: { query: listDefaults(query) },
    fields: {
      query: query.map(([field]) => field),
      body: fields.map(([field]) => field),
    },
    rules: {
      ...listRules('path', path),
      ...listRules('query', query),
      ...listRules('headers', headers),
      ...(body !== undefined && { '/body': 'a JSON object' }),
      ...listRules('body', fields),
    },
    deprecation: convertDates(deprecation),
  }
}

/** Converts the dates of a deprecation to milliseconds. An operation without one has null. */
const convertDates = (deprecation: ContractOperation['deprecation']): object | null => {
  if (deprecation === undefined) return null
  return { ...deprecation, since: Date.parse(deprecation.since), sunset: Date.parse(deprecation.sunset) }
}

const listKinds = (schemas: Schemas): object =>
  Object.fromEntries(schemas.map(([field, schema]) => [field, findParameterKind(schema)]))

const findParameterKind = ({ type, format }: JsonSchema): 'int64' | 'integer' | 'text' => {
  if (type !== 'integer') return 'text'
  return format === 'int64' ? 'int64' : 'integer'
}

const listDefaults = (schemas: Schemas): object => {
  const schemasWithDefault = schemas.filter(([, schema]) => schema.default !== undefined)
  return Object.fromEntries(schemasWithDefault.map(([field, schema]) => [field, schema.default]))
}

const listRules = (place: string, schemas: Schemas): object =>
  Object.fromEntries(schemas.map(([field, schema]) => [`/${place}/${field}`, describeField(schema, field)]))

/**
 * Describes what a field must be, for the messages of errors.
 *
 * @throws UserError when the schema has neither bounds nor an `x-rule`
 */
export const describeField = (schema: JsonSchema, field: string): string => {
  const constraint = describeConstraint(schema)
  if (constraint !== undefined) return constraint

  const problem = `the field ${field} lacks the bounds that its callers are told`
  const advice = 'Give it minimum and maximum or maxLength, or describe it by an x-rule.'
  throw new UserError(`Correct shared/contract/openapi.yaml: ${problem}. ${advice}`)
}
