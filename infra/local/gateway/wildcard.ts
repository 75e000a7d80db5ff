/** Any characters, slashes and colons among them, and no characters too. */
const anyText = Symbol('*')
/** One character, whichever. */
const anyCharacter = Symbol('?')

export type Wildcard = readonly (string | typeof anyText | typeof anyCharacter)[]

/** `*` stands for any characters and `?` for one. */
export const wildcard = (text: string): Wildcard =>
  [...text].map((character) => {
    if (character === '*') return anyText
    return character === '?' ? anyCharacter : character
  })

/**
 * Goes back to the last `*` only: what came before it has found its place for good. So a text full
 * of them takes no longer than its length times the pattern's, where a regular expression may never end.
 */
export const matches = (pattern: Wildcard, text: string): boolean => {
  const characters = [...text]
  let [at, position] = [0, 0]
  let retry: { readonly at: number; position: number } | undefined
  while (position < characters.length) {
    const part = pattern[at]
    if (part === anyText) {
      at += 1
      retry = { at, position }
    } else if (part === anyCharacter || part === characters[position]) {
      at += 1
      position += 1
    } else if (retry !== undefined) {
      retry.position += 1
      at = retry.at
      position = retry.position
    } else {
      return false
    }
  }
  return pattern.slice(at).every((part) => part === anyText)
}
