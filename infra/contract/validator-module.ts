import { Ajv2020 } from 'ajv/dist/2020.js'
import { _Code } from 'ajv/dist/compile/codegen/code.js'
import { _ } from 'ajv/dist/compile/codegen/index.js'
import standalone from 'ajv/dist/standalone/index.js'
import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import type { ContractOperation } from './contract.ts'
import type { ContractParameter } from './openapi.ts'
import { generatedNotice } from './types-module.ts'

/**
 * The code that ajv compiles ahead of time to validate a request of an operation: an object with `path`, `query`,
 * `headers` and, if the operation takes one, `body`. It fills in defaults.
 */
export const validatorModule = (operation: ContractOperation): string => {
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
  ajv.addKeyword({
    keyword: 'int64',
    error: { message: 'must be int64' },
    code: (context) =>
      context.fail(
        _`!(typeof ${context.data} === "bigint" && ${context.data} >= ${literal(smallestInt64)} && ${context.data} <= ${literal(largestInt64)})`,
      ),
  })
  ajv.addSchema(requestSchema(operation), schemaId)
  const code = standalone.default(ajv, { validate: schemaId })
  // ajv imports its runtime by `require`, even in an ES module.
  const imports = code.replace(
    /const (\w+) = require\("([^"]+)"\)\.default;/g,
    'import $1Module from "$2.js";const $1 = $1Module.default;',
  )
  return generatedNotice + imports.replace(/^"use strict";/, '')
}

export const validatorTypes = `${generatedNotice}import type { ErrorObject } from 'ajv'
export declare const validate: { (request: unknown): boolean; errors?: ErrorObject[] | null }
`

const literal = (value: bigint) => new _Code(`${value}n`)

const schemaId = 'request'

const requestSchema = (operation: ContractOperation): object => {
  const { parameters, body } = operation
  const where = (place: ContractParameter['in']) => parametersSchema(parameters.filter((one) => one.in === place))
  return {
    type: 'object',
    required: ['path', 'query', 'headers', ...(body === undefined ? [] : ['body'])],
    properties: {
      path: where('path'),
      query: where('query'),
      headers: where('header'),
      ...(body !== undefined && { body: withExactIntegers(body.schema) }),
    },
  }
}

const parametersSchema = (parameters: readonly ContractParameter[]): object => ({
  type: 'object',
  additionalProperties: false,
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, withExactIntegers(schema)])),
})

/** For people. ajv would put them into its code, and so into every bundle. */
const annotations = ['description', 'example', 'examples', 'x-rule']

/** The schema with every int64 validated as a bigint, and without annotations. */
const withExactIntegers = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withExactIntegers)
  if (typeof schema !== 'object' || schema === null) return schema
  const { type, format, ...rest } = Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !annotations.includes(keyword))
      .map(([keyword, part]) => [keyword, keyword === 'properties' ? exactProperties(part) : withExactIntegers(part)]),
  )
  if (format === 'int64') return { ...rest, int64: true }
  return { ...(type !== undefined && { type }), ...(format !== undefined && { format }), ...rest }
}

/** A property may have the name of an annotation. */
const exactProperties = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withExactIntegers(schema)]))
