import { Ajv2020 } from 'ajv/dist/2020.js'
import { _Code } from 'ajv/dist/compile/codegen/code.js'
import { _ } from 'ajv/dist/compile/codegen/index.js'
import standalone from 'ajv/dist/standalone/index.js'
import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import type { Contract, ContractOperation, ContractParameter, JsonSchema } from './contract.ts'
import { generatedNotice } from './types-module.ts'

/**
 * The code that ajv compiles ahead of time to validate a request of an operation: an object with `path`, `query`,
 * `headers` and, if the operation takes one, `body`. It fills in defaults.
 */
export const validatorModule = (operation: ContractOperation, contract: Contract): string => {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    useDefaults: true,
    strict: true,
    strictTypes: false,
    // A format for generated clients. The bounds of these integers are narrower.
    formats: { int32: true },
  })
  ajv.addVocabulary(['example', 'x-rule'])
  // A JSON number loses digits beyond 2^53, so the body is parsed with its integers as bigint.
  ajv.addKeyword({
    keyword: 'int64',
    error: { message: 'must be int64' },
    code: (context) =>
      context.fail(
        _`!(typeof ${context.data} === "bigint" && ${context.data} >= ${literal(smallestInt64)} && ${context.data} <= ${literal(largestInt64)})`,
      ),
  })
  ajv.addSchema(requestSchema(operation, contract), schemaId)
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

const requestSchema = (operation: ContractOperation, contract: Contract): JsonSchema => {
  const where = (place: ContractParameter['in']) => operation.parameters.filter((parameter) => parameter.in === place)
  return {
    type: 'object',
    required: ['path', 'query', 'headers', ...(operation.body === undefined ? [] : ['body'])],
    properties: {
      path: parametersSchema(where('path'), contract),
      query: parametersSchema(where('query'), contract),
      headers: parametersSchema(where('header'), contract),
      ...(operation.body === undefined ? {} : { body: inline(operation.body, contract) }),
    },
  }
}

const parametersSchema = (parameters: readonly ContractParameter[], contract: Contract): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  required: parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name),
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, inline(schema, contract)])),
})

/** The schema with every reference replaced by what it names, and every int64 validated as a bigint. */
const inline = (schema: unknown, contract: Contract): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => inline(part, contract))
  if (typeof schema !== 'object' || schema === null) return schema
  if ('$ref' in schema) {
    const { $ref: _reference, ...beside } = schema
    return inline({ ...contract.resolve(schema), ...beside }, contract)
  }
  const parts = Object.fromEntries(Object.entries(schema).map(([keyword, part]) => [keyword, inline(part, contract)]))
  if (parts['format'] !== 'int64') return parts
  const { type: _type, format: _format, ...rest } = parts
  return { ...rest, int64: true }
}
