/** Reading YAML with all keys and values as text, as they were written: `01` is no number, and `TRUE` no boolean. */
import { CST, type Document, isMap, isScalar, Lexer, LineCounter, parseDocument, visit } from 'yaml'
import { toComparingForm } from '../files/comparing-form.ts'

/** A mistake in a file of YAML. */
interface YamlMistake {
  /** Number of its line. */
  readonly line: number
  /** A sentence that says what is wrong. */
  readonly mistake: string
}

interface YamlFile {
  /** Objects, lists and texts; texts are in the comparing form. */
  readonly value: unknown
  /** Finds the line of a key by the names that lead to it. */
  readonly findLine: (path: readonly string[]) => number | undefined
}

/** Reads a text of YAML, or returns its first mistake: later ones are often consequences of the first. */
export const readYaml = (text: string): YamlFile | YamlMistake => {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    // In this schema all values are text.
    schema: 'failsafe',
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
    uniqueKeys: (one, other) => isScalar(one) && isScalar(other) && readWord(one.value) === readWord(other.value),
  })
  const lineOf = (offset: number): number => lines.linePos(offset).line
  const tokens = [...listTokens(text)]
  // Such a character may make the rest of the file wrong, so it is reported before the parser's errors.
  const word = tokens.find(isPartOfWord)
  if (word !== undefined) {
    const mark = word.text.charAt(0)
    return { line: word.line, mistake: `${mark} has a meaning of its own in YAML. ${quotationAdvice}` }
  }
  const [error] = document.errors
  if (error !== undefined) {
    // A comment inside of braces may hide the closing brace, which the parser misses only in a later line.
    const comment = tokens.findLast(({ type, isInBraces }) => type === 'comment' && isInBraces)
    const line = comment?.line ?? lineOf(error.pos[0])
    if (error.code === 'DUPLICATE_KEY') return { line: lineOf(error.pos[0]), mistake: 'this name is there twice.' }
    return { line, mistake: `this is no YAML (${error.message}). ${commaAdvice} ${quotationAdvice}` }
  }
  visit(document, {
    Scalar: (_key, scalar) => {
      scalar.value = readWord(scalar.value)
    },
  })
  return {
    value: document.toJS(),
    findLine: (path) => {
      const offset = findKeyOffset(document.contents, path)
      return offset === undefined ? undefined : lineOf(offset)
    },
  }
}

const commaAdvice = 'Between { and }, entries need commas between them.'

const quotationAdvice = "A word with # : & * ! or @ in it needs quotation marks, such as 'Animal #'."

const readWord = (value: unknown): string => toComparingForm(String(value ?? ''))

/** A part of YAML, such as a word, a brace or a comment. */
interface Token {
  readonly type: ReturnType<typeof CST.tokenType>
  readonly text: string
  readonly line: number
  readonly isInBraces: boolean
  /** Whether another part stands before this one in its line. */
  readonly isWithinLine: boolean
}

function* listTokens(text: string): Generator<Token> {
  let line = 1
  let depth = 0
  let isWithinLine = false
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token)
    yield { type, text: token, line, isInBraces: depth > 0, isWithinLine }
    if (type === 'flow-map-start') depth += 1
    if (type === 'flow-map-end') depth -= 1
    if (type !== 'space') isWithinLine = type !== 'newline'
    line += token.split('\n').length - 1
  }
}

/** Whether YAML gives a meaning of its own to what was meant as part of a word, such as the `#` of `Animal #`. */
const isPartOfWord = ({ type, text, isWithinLine }: Token): boolean => {
  // YAML takes a `#` after a space for the beginning of a comment. If nothing or one of these characters follows it,
  // as in `Animal #: Dog`, it was meant as part of a word.
  if (type === 'comment') return isWithinLine && /^#\s*($|[,:}#])/.test(text)
  return type === 'anchor' || type === 'alias' || type === 'tag'
}

/** Finds where a key begins. */
const findKeyOffset = (node: Document['contents'], [name, ...rest]: readonly string[]): number | undefined => {
  const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === name) : undefined
  if (pair === undefined || !isScalar(pair.key)) return undefined
  return rest.length === 0 ? pair.key.range?.[0] : findKeyOffset(pair.value as Document['contents'], rest)
}
