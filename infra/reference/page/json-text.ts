/** Reads JSON token by token. Numbers stay text, so they keep all digits in every browser. */

export interface JsonToken {
  readonly kind: 'name' | 'string' | 'number' | 'word' | 'mark' | 'space'
  readonly text: string
}

const pattern =
  /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d[\d.eE+-]*)|(?<word>[a-z]+)|(?<mark>[{}[\]:,])|(?<space>\s+)/gy

/** @returns undefined where the text is not JSON */
export const readJsonTokens = (text: string): readonly JsonToken[] | undefined => {
  if (!isJson(text)) return undefined
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }) =>
    kinds.flatMap((kind) => (groups[kind] === undefined ? [] : [{ kind, text: groups[kind] }])),
  )
}

const kinds = ['name', 'string', 'number', 'word', 'mark', 'space'] as const

/** Indents JSON by two spaces at each level. Text that is not JSON stays unchanged. */
export const layOutJson = (text: string): string => {
  const tokens = readJsonTokens(text)?.filter(({ kind }) => kind !== 'space')
  if (tokens === undefined) return text
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  return tokens
    .map(({ kind, text: token }, index) => {
      if (kind !== 'mark') return token
      if (token === ',') return `,${line()}`
      if (token === ':') return ': '
      const isEmpty = (one = '', other = '') => /^(\{\}|\[\])$/.test(one + other)
      if (token === '{' || token === '[') {
        depth += 1
        return isEmpty(token, tokens[index + 1]?.text) ? token : token + line()
      }
      depth -= 1
      return isEmpty(tokens[index - 1]?.text, token) ? token : line() + token
    })
    .join('')
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
