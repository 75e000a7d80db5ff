import { checkKeywords, type InputSchema, informingKeywords, readInputSchema } from './input-schema.ts'
import { type ContractBody, type ContractParameter, createContractError, type JsonSchema } from './openapi.ts'

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

const bodyKeywords = ['type', 'properties', 'required', 'additionalProperties', ...informingKeywords]

/** Headers that OpenAPI does not allow as parameters ("Parameter Object"). */
const reservedHeaders = ['accept', 'authorization', 'content-type']

/**
 * Reads what a request of an operation may contain.
 *
 * @param place the operation, for messages
 * @throws UserError when the service could not serve each valid request and refuse each invalid one
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
    const advice = 'generators make it a required field. Describe it in words, and let the function fill it in'
    throw createContractError(`${place}, field ${fieldWithDefault.name}: it has a default, and ${advice}.`)
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
    throw createContractError(`${place}: name it with letters, digits, - and _, unlike a property of every object.`)
  }
  const inputSchema = readInputSchema(schema, place)
  if (isRequired && inputSchema.defaultValue !== undefined) {
    throw createContractError(`${place}: it has a default, so it must not be required.`)
  }
  return { name, isRequired, ...inputSchema }
}
