import { Ajv2020 } from 'ajv/dist/2020.js'
import { _Code } from 'ajv/dist/compile/codegen/code.js'
import { _, type Code } from 'ajv/dist/compile/codegen/index.js'

/** Bounds of integers as decimal text, because JSON numbers lose digits beyond 2^53. */
export interface IntegerBounds {
  readonly minimum: string
  readonly maximum: string
}

/** Creates the ajv that compiles the schemas of inputs. It has two keywords of its own, `integer` and `wellFormed`. */
export const createAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    strict: true,
    strictTypes: false,
    // Leaves ajv's messages out: the service writes its own, with the words of the contract.
    messages: false,
    // Does not check the schemas, because that takes longer than compiling them: the generator has written them itself.
    meta: false,
    validateSchema: false,
  })
  ajv.addKeyword({
    keyword: 'integer',
    code: (context) => context.fail(generateIntegerFailure(context.data, context.schema)),
  })
  ajv.addKeyword({
    keyword: 'wellFormed',
    type: 'string',
    // Other rules count and match characters, and half of a surrogate pair is none.
    before: 'maxLength',
    code: (context) => context.fail(_`!${context.data}.isWellFormed()`),
  })
  return ajv
}

/**
 * Generates the condition that a value is no integer within bounds. The service reads every integer as a bigint,
 * because a number is rounded beyond 2^53. ajv's own `type: integer` accepts no bigint.
 */
const generateIntegerFailure = (value: Code, { minimum, maximum }: IntegerBounds): Code => {
  const smallest = new _Code(`${BigInt(minimum)}n`)
  const largest = new _Code(`${BigInt(maximum)}n`)
  return _`!(typeof ${value} === "bigint" && ${value} >= ${smallest} && ${value} <= ${largest})`
}
