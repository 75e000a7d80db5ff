import { _, Ajv, type CodeGen, type Name } from 'ajv'

/** Bounds of integers as decimal text, because JSON numbers lose digits beyond 2^53. */
export interface IntegerBounds {
  readonly minimum: string
  readonly maximum: string
}

/**
 * Creates the ajv that compiles the schemas of inputs. It has two keywords of its own, `integer` and `wellFormed`. The
 * service reads every integer as a bigint, because a number is rounded beyond 2^53, and ajv's own `type: integer`
 * accepts no bigint.
 */
export const createAjv = (): Ajv => {
  const ajv = new Ajv({
    code: { source: true, lines: true },
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
    // Other rules count and match characters, and half of a surrogate pair is none.
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
