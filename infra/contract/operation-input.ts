/**
 * The input of operations: parameters, and fields of the body. Each is a boolean, an integer, a string or an
 * enumeration of strings.
 *
 * All generated code about values derives from this file, so that the service parses, validates and describes a value
 * alike. A keyword of JSON Schema is either served exactly as JSON Schema defines it, or refused.
 */
import type { ValueKind } from '../../shared/http/operation-contract.ts'
import { createAjv, type IntegerBounds } from './ajv.ts'
import {
  type ContractBody,
  type ContractParameter,
  createContractError,
  describeConstraint,
  findRange,
  formatRanges,
  type IntegerRange,
  type JsonSchema,
} from './openapi.ts'

/** A schema in the forms that the generator needs. */
interface InputSchema {
  readonly kind: ValueKind
  /** Words that follow "must be" in an error message. */
  readonly rule: string
  /** The schema that ajv compiles. It describes the value after it was parsed: an integer is then a bigint. */
  readonly validated: object
  /** JSON value that a request without one gets; undefined if the schema has no default. */
  readonly defaultValue: unknown
}

/** A parameter, or a field of the body. */
export interface InputField extends InputSchema {
  readonly name: string
  readonly isRequired: boolean
}

/** Everything that a request of an operation may contain. */
export interface OperationInput {
  readonly path: readonly InputField[]
  readonly query: readonly InputField[]
  readonly headers: readonly InputField[]
  /** Undefined if the operation takes no body. */
  readonly body: readonly InputField[] | undefined
}

/** Keywords that only inform people. */
const informingKeywords = ['title', 'description', 'example', 'examples']

const bodyKeywords = ['type', 'properties', 'required', 'additionalProperties', ...informingKeywords]

/** Headers that OpenAPI does not allow as parameters ("Parameter Object"). */
const reservedHeaders = ['accept', 'authorization', 'content-type']

/**
 * Reads what a request of an operation may contain.
 *
 * @param place the operation, for messages
 * @throws UserError if a parameter or the body uses a part of OpenAPI that the service does not check in requests
 */
export const readOperationInput = (
  parameters: readonly ContractParameter[],
  requestBody: ContractBody | undefined,
  place: string,
): OperationInput => {
  const readPart = (location: ContractParameter['in']): readonly InputField[] =>
    parameters.filter((parameter) => parameter.in === location).map((parameter) => readParameter(parameter, place))
  return {
    path: readPart('path'),
    query: readPart('query'),
    headers: readPart('header'),
    body: requestBody && readBody(requestBody, `${place}, body`),
  }
}

const readParameter = (parameter: ContractParameter, operationPlace: string): InputField => {
  const { name, in: location, required = false, schema } = parameter
  const place = `${operationPlace}, parameter ${name}`
  if (location === 'header' && reservedHeaders.includes(name.toLowerCase())) {
    throw createContractError(`${place}: OpenAPI reserves this header.`)
  }
  if (location === 'path' && !required) throw createContractError(`${place}: a path parameter must be required.`)
  return readField(name, schema, required, place)
}

const readBody = ({ required: isBodyRequired, content }: ContractBody, place: string): readonly InputField[] => {
  const { schema } = content['application/json']
  checkObject(schema, place)
  if (isBodyRequired !== true) throw createContractError(`${place}: it must have "required: true".`)

  const { properties = {}, required = [] } = schema
  const fields = Object.entries(properties).map(([name, property]) =>
    readField(name, property, required.includes(name), `${place}, field ${name}`),
  )
  const fieldWithDefault = fields.find(({ defaultValue }) => defaultValue !== undefined)
  if (fieldWithDefault !== undefined) {
    throw createContractError(
      `${place}, field ${fieldWithDefault.name}: ` +
        'it has a default, and generators of clients make such a field required. ' +
        'Remove "default", say in the description what a missing field means, and let the function fill it in.',
    )
  }
  return fields
}

/** @throws UserError unless the schema is that of an object without further fields */
const checkObject = (schema: JsonSchema, place: string): void => {
  checkKeywords(schema, bodyKeywords, place)
  if (schema.type !== 'object' || schema.additionalProperties !== false) {
    throw createContractError(`${place}: it must have "type: object" and "additionalProperties: false".`)
  }
}

const readField = (name: string, schema: JsonSchema, isRequired: boolean, place: string): InputField => {
  // The validator would find a name such as `constructor` in every request, because every object inherits it.
  if (!/^[A-Za-z][\w-]*$/.test(name) || name in {}) {
    throw createContractError(
      `${place}: use letters, digits, - and _, and no name that every object has, such as constructor.`,
    )
  }
  const inputSchema = readInputSchema(schema, place)
  if (isRequired && inputSchema.defaultValue !== undefined) {
    throw createContractError(`${place}: it has a default, so it must not be required.`)
  }
  return { name, isRequired, ...inputSchema }
}

/** How schemas of one kind are read: of booleans, integers, strings or enumerations. */
interface SchemaForm {
  /** Keywords that the form may have besides `type`, `default` and `informingKeywords`. */
  readonly keywords: readonly string[]
  readonly read: (schema: JsonSchema, place: string) => Pick<InputSchema, 'kind' | 'validated'>
}

const ajv = createAjv()

/**
 * Reads the schema of a parameter or of a field.
 *
 * @param place names the operation and the value in messages
 * @throws UserError when the service could not serve each valid value and refuse each invalid one
 */
export const readInputSchema = (schema: JsonSchema, place: string): InputSchema => {
  const { keywords, read } = findForm(schema, place)
  checkKeywords(schema, ['type', ...keywords, 'default', ...informingKeywords], place)

  // An integer or a string without bounds has no rule.
  const rule = describeConstraint(schema)
  if (rule === undefined) throw createContractError(`${place}: it has no bounds. ${boundsAdvice}.`)

  const { kind, validated } = read(schema, place)
  const validate = compileSchema(validated, place)
  const { default: defaultValue } = schema
  if (defaultValue !== undefined && !validate(convertDefault(defaultValue, kind))) {
    throw createContractError(`${place}: the default must be ${rule}.`)
  }
  return { kind, rule, validated, defaultValue }
}

const boundsAdvice = 'Give an integer minimum and maximum, or format int32 or int64; give a string maxLength'

/** @throws UserError that names the first keyword outside a list */
const checkKeywords = (schema: JsonSchema, keywords: readonly string[], place: string): void => {
  const unserved = Object.keys(schema).find((keyword) => !keywords.includes(keyword))
  if (unserved === undefined) return
  throw createContractError(`${place}: the keyword ${unserved} is not served. Served are ${keywords.join(', ')}.`)
}

/** @throws UserError when ajv refuses the schema, for example for its pattern */
const compileSchema = (validated: object, place: string) => {
  try {
    return ajv.compile(validated)
  } catch (error) {
    throw createContractError(`${place}: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/**
 * Converts a default of JSON to the type of its kind. A number that YAML may have rounded is not converted,
 * so the validator refuses it.
 */
const convertDefault = (value: unknown, kind: ValueKind): unknown =>
  kind === 'integer' && typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value

const readInteger: SchemaForm['read'] = (schema, place) => {
  if (schema.format !== undefined && !formatRanges.has(schema.format)) {
    throw createContractError(`${place}: the format ${schema.format} is not served. Use int32, int64 or none.`)
  }
  const range = findRange(schema)
  if (range === undefined || !isServedRange(range, schema)) {
    const rule = 'whole numbers of at most 53 bits, in order and within the format'
    throw createContractError(`${place}: minimum and maximum must be ${rule}.`)
  }
  const bounds: IntegerBounds = { minimum: String(range.minimum), maximum: String(range.maximum) }
  // `integer` is a keyword of our own for bigints (`ajv.ts`).
  return { kind: 'integer', validated: { integer: bounds } }
}

/** Whether the bounds are in order, within the format, and exact: YAML rounds a bound of more than 53 bits. */
const isServedRange = (range: IntegerRange, schema: JsonSchema): boolean => {
  const ownBounds = [schema.minimum, schema.maximum].filter((bound) => bound !== undefined)
  if (!ownBounds.every(Number.isSafeInteger)) return false

  const { minimum, maximum } = range
  const allowed = formatRanges.get(schema.format) ?? range
  return allowed.minimum <= minimum && minimum <= maximum && maximum <= allowed.maximum
}

const readText: SchemaForm['read'] = (schema, place) => {
  const { minLength = 0, maxLength, pattern, 'x-rule': rule } = schema
  if (maxLength !== undefined && minLength > maxLength) {
    throw createContractError(`${place}: minLength must not exceed maxLength.`)
  }
  if ((pattern === undefined) !== (rule === undefined)) {
    throw createContractError(
      `${place}: a pattern needs an x-rule that says it in words, and an x-rule needs a pattern.`,
    )
  }
  // `wellFormed` is a keyword of our own for text without half of a surrogate pair (`ajv.ts`).
  return {
    kind: 'text',
    validated: { type: 'string', wellFormed: true, minLength, maxLength, ...(pattern !== undefined && { pattern }) },
  }
}

const enumerationForm: SchemaForm = {
  keywords: ['enum'],
  // Redocly has compared the values with the type.
  read: ({ enum: values }) => ({ kind: 'text', validated: { type: 'string', enum: values } }),
}

const formsByType: Readonly<Record<string, SchemaForm>> = {
  boolean: { keywords: [], read: () => ({ kind: 'boolean', validated: { type: 'boolean' } }) },
  integer: { keywords: ['format', 'minimum', 'maximum'], read: readInteger },
  string: { keywords: ['minLength', 'maxLength', 'pattern', 'x-rule'], read: readText },
}

const findForm = ({ type = 'none', enum: values }: JsonSchema, place: string): SchemaForm => {
  if (type === 'string' && values !== undefined) return enumerationForm
  const form = formsByType[type]
  if (form !== undefined) return form
  throw createContractError(`${place}: the type ${type} is not served. Use boolean, integer or string.`)
}
