import { Ajv2020 } from 'ajv/dist/2020.js'
import { _Code } from 'ajv/dist/compile/codegen/code.js'
import { _, type Code } from 'ajv/dist/compile/codegen/index.js'
import standalone from 'ajv/dist/standalone/index.js'
import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import { UserError } from '../command-line/user-error.ts'
import type { ContractOperation } from './contract.ts'
import { replacePart } from './edit-text.ts'
import type { ContractParameter, JsonSchema } from './openapi.ts'

/**
 * Generates the code that validates a request of an operation: an object with `path`, `query`, `headers` and, if the
 * operation takes one, `body`. The code is compiled ahead of time, and fills in defaults.
 *
 * @param file the module for which the code is generated, for messages
 */
export const generateValidator = ({ parameters, body }: ContractOperation, file: string): string => {
  const ajv = createAjv()
  const createSchema = (place: ContractParameter['in']) =>
    createParametersSchema(parameters.filter((parameter) => parameter.in === place))

  const properties = {
    path: createSchema('path'),
    query: createSchema('query'),
    headers: createSchema('header'),
    ...(body !== undefined && { body: createValidatedSchema(body.schema) }),
  }
  ajv.addSchema({ type: 'object', required: Object.keys(properties), properties }, 'request')

  const code = standalone.default(ajv, { validate: 'request' })
  const moduleCode = replacePart(code, {
    file,
    purpose: 'remove the directive that ES modules do not need',
    part: '"use strict";',
    replacement: '',
  })
  return moduleCode
    .split('\n')
    .map((line) => replaceRequire(line, file))
    .join('\n')
}

const createAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    useDefaults: true,
    strict: true,
    strictTypes: false,
    // Leaves ajv's messages out: the service writes its own, with the words of the contract.
    messages: false,
    // Accepts `int32` without checking it: the format is for generated clients, and the contract sets narrower bounds.
    formats: { int32: true },
  })
  ajv.addKeyword({
    keyword: 'int64',
    code: (context) => context.fail(generateInt64Failure(context.data)),
  })
  return ajv
}

/**
 * Generates the condition that a value is no int64. The body is parsed with its integers as bigint, because a JSON
 * number loses digits beyond 2^53.
 */
const generateInt64Failure = (value: Code): Code => {
  const smallest = new _Code(`${smallestInt64}n`)
  const largest = new _Code(`${largestInt64}n`)
  return _`!(typeof ${value} === "bigint" && ${value} >= ${smallest} && ${value} <= ${largest})`
}

/** ajv imports its runtime by `require`, even in an ES module. */
const requireStatement = /^const (?<name>\w+) = require\("(?<module>[^"]+)"\)\.default;$/

/**
 * Replaces a `require` of ajv's runtime by an import.
 *
 * @throws UserError that names the edit and the file if a `require` has another form
 */
export const replaceRequire = (line: string, file: string): string => {
  if (!line.includes('require(')) return line

  const { name, module } = requireStatement.exec(line)?.groups ?? {}
  if (name === undefined) throw new UserError(`Cannot replace a require by an import in ${file}: "${line}".`)
  return `import ${name}Module from "${module}.js";const ${name} = ${name}Module.default;`
}

const createParametersSchema = (parameters: readonly ContractParameter[]): object => ({
  type: 'object',
  additionalProperties: false,
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, createValidatedSchema(schema)])),
})

/**
 * Creates the schema that ajv compiles: each int64 is validated as a bigint, and texts for people are omitted, because
 * ajv would put them into every bundle.
 */
const createValidatedSchema = (schema: JsonSchema): object => {
  const { description, example, 'x-rule': rule, type, format, properties, items, ...rest } = schema
  // The schema of an int64 has no `type`, because ajv's `integer` accepts no bigint.
  const typeAndFormat = format === 'int64' ? { int64: true } : { type, ...(format !== undefined && { format }) }
  return {
    ...typeAndFormat,
    ...rest,
    ...(items !== undefined && { items: createValidatedSchema(items) }),
    ...(properties !== undefined && { properties: createValidatedProperties(properties) }),
  }
}

const createValidatedProperties = (properties: NonNullable<JsonSchema['properties']>): object =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, createValidatedSchema(schema)]))
