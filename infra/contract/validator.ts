import standalone from 'ajv/dist/standalone/index.js'
import { UserError } from '../command-line/user-error.ts'
import { createAjv } from './ajv.ts'
import { replacePart } from './edit-text.ts'
import type { InputField, OperationInput } from './operation-input.ts'

/**
 * Generates the code that validates the input of an operation: an object with `path`, `query`, `headers` and, if the
 * operation takes one, `body`. The code is compiled ahead of time.
 *
 * @param file the module for which the code is generated, for messages
 */
export const generateValidator = ({ path, query, headers, body }: OperationInput, file: string): string => {
  const properties = {
    path: createObjectSchema(path),
    query: createObjectSchema(query),
    headers: createObjectSchema(headers),
    ...(body !== undefined && { body: createObjectSchema(body) }),
  }
  const ajv = createAjv()
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

const createObjectSchema = (fields: readonly InputField[]): object => ({
  type: 'object',
  additionalProperties: false,
  required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  properties: Object.fromEntries(fields.map(({ name, validated }) => [name, validated])),
})

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
