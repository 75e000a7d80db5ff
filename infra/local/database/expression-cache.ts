/**
 * A cache of the expressions that dynalite has parsed. Its parsers take longer than the rest of a small operation, and
 * this project sends the same few expressions again and again, with other values.
 *
 * It relies on these internals of dynalite 4.0.0: `dynalite/db` has three parser modules whose `parse` is looked up at
 * each call, a parser deletes from `unusedAttrNames` and `unusedAttrVals` the placeholders that it uses, and the tree
 * that it returns contains the values of `attrVals` themselves. `expression-cache.test.ts` fails if an update changes
 * them.
 */
import { isObject } from '../template/stacks.ts'

/** dynalite's parser for one kind of expression. It returns a syntax tree, or the text of an error. */
export interface ExpressionParser {
  parse: (expression: string, options: { readonly context: ParserContext }) => unknown
}

/** The placeholders of one request. */
interface ParserContext {
  /** Names of attributes by placeholder, such as `#state`. */
  readonly attrNames?: Placeholders
  /** Values in the format of DynamoDB's protocol by placeholder, such as `:now`. */
  readonly attrVals?: Placeholders
  /** Placeholders that the expressions of the request have not used yet. A parser deletes those that it uses. */
  readonly unusedAttrNames: Placeholders
  readonly unusedAttrVals: Placeholders
}

type Placeholders = Record<string, unknown>

/** An expression as it was parsed with the values of one request. */
interface ParsedExpression {
  readonly tree: object
  /** Placeholders of the values that the tree contains. */
  readonly placeholders: ReadonlyMap<unknown, string>
  readonly usedNames: readonly string[]
  readonly usedValues: readonly string[]
}

/** A number that the expressions of this project never reach. At it, the cache is emptied. */
const maximumExpressions = 500

/** Matches expressions that dynalite checks against the values themselves. It checks others against the types alone. */
const dependsOnValues = /between|attribute_type/i

/** Makes a parser of dynalite parse an expression once for all values of the same types. */
export const cacheExpressions = (parser: ExpressionParser): void => {
  const { parse } = parser
  const cache = new Map<string, ParsedExpression>()

  parser.parse = (expression, { context }) => {
    if (dependsOnValues.test(expression)) return parse(expression, { context })

    const key = createCacheKey(expression, context)
    const cached = cache.get(key)
    if (cached !== undefined) return useParsedExpression(cached, context)

    const unusedAttrNames = { ...context.attrNames }
    const unusedAttrVals = { ...context.attrVals }
    const tree = parse(expression, { context: { ...context, unusedAttrNames, unusedAttrVals } })
    // Anything else is the text of an error, which ends the request.
    if (!isObject(tree)) return tree

    const { attrNames = {}, attrVals = {} } = context
    const parsed = {
      tree,
      placeholders: new Map(Object.entries(attrVals).map(([placeholder, value]) => [value, placeholder])),
      usedNames: Object.keys(attrNames).filter((placeholder) => !(placeholder in unusedAttrNames)),
      usedValues: Object.keys(attrVals).filter((placeholder) => !(placeholder in unusedAttrVals)),
    }
    if (cache.size >= maximumExpressions) cache.clear()
    cache.set(key, parsed)
    return useParsedExpression(parsed, context)
  }
}

const createCacheKey = (expression: string, { attrNames = {}, attrVals = {} }: ParserContext): string => {
  const types = Object.entries(attrVals).map(([placeholder, value]) => [placeholder, Object.keys(Object(value))])
  return JSON.stringify([expression, attrNames, types])
}

/** Does for a request what the parser would do: marks its placeholders as used, and returns a tree with its values. */
const useParsedExpression = (parsed: ParsedExpression, context: ParserContext): unknown => {
  for (const placeholder of parsed.usedNames) delete context.unusedAttrNames[placeholder]
  for (const placeholder of parsed.usedValues) delete context.unusedAttrVals[placeholder]
  return fillIn(parsed.tree, parsed.placeholders, context.attrVals ?? {})
}

/** Copies a syntax tree with the values of a request. dynalite changes the copy while it executes the request. */
const fillIn = (node: unknown, placeholders: ParsedExpression['placeholders'], values: Placeholders): unknown => {
  if (typeof node !== 'object' || node === null) return node

  const placeholder = placeholders.get(node)
  if (placeholder !== undefined) return values[placeholder]
  if (Array.isArray(node)) return node.map((element) => fillIn(element, placeholders, values))

  // dynalite looks up names of attributes in objects without a prototype.
  const copy: Placeholders = Object.create(Object.getPrototypeOf(node))
  for (const [name, value] of Object.entries(node)) copy[name] = fillIn(value, placeholders, values)
  return copy
}
