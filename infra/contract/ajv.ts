import { _, Ajv, type CodeGen, type Name } from 'ajv'

/** Bounds of integers as decimal text, because JSON numbers lose digits beyond 2^53. */
export interface IntegerBounds {
  readonly minimum: string
  readonly maximum: string
}

/**
 * Creates the ajv that compiles the schemas of inputs, with two additional keywords:
 *
 * - `integer`: the service reads every integer as a bigint, which ajv's own `type: integer` does not accept.
 * - `wellFormed`: a string has no half of a surrogate pair.
 */
export const createAjv = (): Ajv => {
  const ajv = new Ajv({
    code: { source: true, lines: true },
    strict: true,
    // The schema of a whole request has no `type`, which strict types demand.
    strictTypes: false,
    // The service writes messages of its own, with the words of the contract.
    messages: false,
    // The generator has written the schemas itself, and checking them takes longer than compiling them.
    meta: false,
    validateSchema: false,
  })
  ajv.addKeyword({
    keyword: 'integer',
    code: (context) => {
      const { data, gen, schema } = context
      const { minimum, maximum }: IntegerBounds = schema
      const smallest = declareBigint(gen, minimum)
      const largest = declareBigint(gen, maximum)
      context.pass(_`typeof ${data} === "bigint" && ${data} >= ${smallest} && ${data} <= ${largest}`)
    },
  })
  ajv.addKeyword({
    keyword: 'wellFormed',
    type: 'string',
    // The rules after this one count and match characters. Half of a surrogate pair is no character.
    before: 'maxLength',
    code: (context) => context.pass(_`${context.data}.isWellFormed()`),
  })
  return ajv
}

/**
 * Declares a bigint at the top of the generated code, because ajv has no literal for one. Its name begins with `obj`,
 * one of the beginnings that ajv allows.
 */
const declareBigint = (gen: CodeGen, digits: string): Name =>
  gen.scopeValue('obj', { ref: BigInt(digits), code: _`BigInt(${digits})` })
