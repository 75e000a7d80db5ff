/** Generates the modules of `shared/contract/generated` except the types. */
import standalone from 'ajv/dist/standalone/index.js'
import { UserError } from '../command-line/user-error.ts'
import { createAjv } from './ajv.ts'
import type { Contract, ContractOperation } from './contract.ts'
import type { InputField, OperationInput } from './operation-input.ts'

/**
 * Generates the catalogue of errors. Each error is a constant of its own, so that a bundle contains only the errors
 * that its code names.
 */
export const generateErrorsModule = ({ document: { components } }: Contract): string => {
  const codes = listErrorCodes(components)
  const constants = codes.map((code) => {
    const example = components.examples[code]?.value
    if (example?.code !== code) throw new UserError(`Add an example of ${code} to shared/contract/openapi.yaml.`)
    const { status, message } = example
    return `export const ${code} = ${JSON.stringify({ status, message })} as const`
  })
  return `${constants.join('\n')}

/** Every error that a caller can receive, with its message where there is no more exact one. */
export const catalogue = {
  ${codes.join(',\n  ')},
} as const

export type ErrorCode = keyof typeof catalogue
`
}

/**
 * Lists the codes of errors. The contract has them as examples of `ErrorCode`: an enumeration would tell strict clients
 * to refuse the codes that later versions add.
 *
 * @throws UserError when an error of the contract has another code
 */
const listErrorCodes = ({ schemas, examples }: Contract['document']['components']): readonly string[] => {
  const codes = (schemas['ErrorCode']?.examples ?? []).map(String)
  const unlisted = Object.values(examples).find(({ value }) => !codes.includes(String(value.code)))
  if (unlisted !== undefined) {
    throw new UserError(`Add ${unlisted.value.code} to the ErrorCode of shared/contract/openapi.yaml.`)
  }
  return codes
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
 * Generates the module of one operation for `shared/http`: the kinds, defaults and constraints of its values, its
 * deprecation, and its validator. Each operation has its own module, so that a bundle contains only one.
 */
export const generateOperationModule = (operation: ContractOperation): string => {
  const { name, operationId, method, input, deprecation } = operation
  const { path, query, headers, body } = input
  const kinds = {
    path: listKinds(path),
    query: listKinds(query),
    headers: listKinds(headers),
    body: listKinds(body),
  }
  const rules = {
    ...listRules('path', path),
    ...listRules('query', query),
    ...listRules('headers', headers),
    ...(body !== undefined && { '/body': describeBody(body) }),
    ...listRules('body', body),
  }
  return `import validate from './${name}.validator.cjs'

export const ${operationId} = {
  operationId: '${operationId}',
  method: '${method}',
  takesBody: ${body !== undefined},
  kinds: ${JSON.stringify(kinds, null, 2)},
  rules: ${JSON.stringify(rules, null, 2)},
  deprecation: ${JSON.stringify(convertDates(deprecation), null, 2)},
  defaults: {
    query: ${printDefaults(query)},
    headers: ${printDefaults(headers)},
  },
  validate,
} as const
`
}

/** Converts the dates of a deprecation to milliseconds. An operation without one has null. */
const convertDates = (deprecation: ContractOperation['deprecation']): object | null => {
  if (deprecation === undefined) return null
  return { ...deprecation, since: Date.parse(deprecation.since), sunset: Date.parse(deprecation.sunset) }
}

/** Lists the kind of each field by the name of the field. */
const listKinds = (fields: readonly InputField[] = []): object =>
  Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))

/** Describes a body, such as "a JSON object with name and categoryId". */
const describeBody = (fields: readonly InputField[]): string => {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const list = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(required)
  return list === '' ? 'a JSON object' : `a JSON object with ${list}`
}

/** Lists the rule of each field by the JSON Pointer to the field in the input, such as `/query/limit`. */
const listRules = (part: string, fields: readonly InputField[] = []): object =>
  Object.fromEntries(fields.map(({ name, rule }) => [`/${part}/${name}`, rule]))

/** Prints an object literal. JSON has no text for a bigint, the default of an integer. */
const printDefaults = (fields: readonly InputField[] = []): string => {
  const properties = fields
    .filter(({ defaultValue }) => defaultValue !== undefined)
    .map(({ name, kind, defaultValue }) => {
      const literal = kind === 'integer' ? `${defaultValue}n` : JSON.stringify(defaultValue)
      return `${JSON.stringify(name)}: ${literal}`
    })
  return `{${properties.join(', ')}}`
}

/**
 * Generates the CommonJS module that validates the input of an operation: an object with `path`, `query`, `headers`
 * and, if the operation takes one, `body`. The text is ajv's own, with its imports from the package.
 */
export const generateValidator = ({ path, query, headers, body }: OperationInput): string => {
  const properties = {
    path: createObjectSchema(path),
    query: createObjectSchema(query),
    headers: createObjectSchema(headers),
    ...(body !== undefined && { body: createObjectSchema(body) }),
  }
  const ajv = createAjv()
  // The request has no type, because `readInput` always makes it an object.
  return standalone.default(ajv, ajv.compile({ required: Object.keys(properties), properties }))
}

const createObjectSchema = (fields: readonly InputField[]): object => ({
  type: 'object',
  additionalProperties: false,
  required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  properties: Object.fromEntries(fields.map(({ name, validated }) => [name, validated])),
})
