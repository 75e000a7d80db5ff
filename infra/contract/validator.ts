import standalone from 'ajv/dist/standalone/index.js'
import { createAjv } from './ajv.ts'
import type { InputField, OperationInput } from './operation-input.ts'

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
