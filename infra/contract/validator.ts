import { Ajv2020 } from 'ajv/dist/2020.js'
import { _Code } from 'ajv/dist/compile/codegen/code.js'
import { _ } from 'ajv/dist/compile/codegen/index.js'
import standalone from 'ajv/dist/standalone/index.js'
import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import type { ContractOperation } from './contract.ts'
import type { ContractParameter, JsonSchema } from './openapi.ts'

/**
 * The code that ajv compiles ahead of time to `validate` a request of an operation: an object with `path`, `query`,
 * `headers` and, if the operation takes one, `body`. It fills in defaults.
 */
export const generateValidator = ({ parameters, body }: ContractOperation): string => {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    useDefaults: true,
    strict: true,
    strictTypes: false,
    // The words of an error are the contract's.
    messages: false,
    // A format for generated clients. The bounds of these integers are narrower.
    formats: { int32: true },
  })
  // A JSON number loses digits beyond 2^53, so the body is parsed with its integers as bigint.
  const literal = (value: bigint) => new _Code(`${value}n`)
  ajv.addKeyword({
    keyword: 'int64',
    error: { message: 'must be int64' },
    code: (context) =>
      context.fail(
        _`!(typeof ${context.data} === "bigint" && ${context.data} >= ${literal(smallestInt64)} && ${context.data} <= ${literal(largestInt64)})`,
      ),
  })
  const where = (place: ContractParameter['in']) => parametersSchema(parameters.filter((one) => one.in === place))
  const properties = {
    ...{ path: where('path'), query: where('query'), headers: where('header') },
    ...(body !== undefined && { body: validated(body.schema) }),
  }
  ajv.addSchema({ type: 'object', required: Object.keys(properties), properties }, 'request')
  // ajv imports its runtime by `require`, even in an ES module.
  return standalone
    .default(ajv, { validate: 'request' })
    .replace(/^"use strict";/, '')
    .replace(
      /const (\w+) = require\("([^"]+)"\)\.default;/g,
      'import $1Module from "$2.js";const $1 = $1Module.default;',
    )
}

const parametersSchema = (parameters: readonly ContractParameter[]): object => ({
  type: 'object',
  additionalProperties: false,
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, validated(schema)])),
})

/** A schema with every int64 validated as a bigint, and without what is for people: ajv would put that into every bundle. */
const validated = (schema: JsonSchema): object => {
  const { description, example, 'x-rule': rule, type, format, properties, items, ...rest } = schema
  return {
    ...(format === 'int64' ? { int64: true } : { type, ...(format !== undefined && { format }) }),
    ...rest,
    ...(items !== undefined && { items: validated(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, validated(one)])),
    }),
  }
}
