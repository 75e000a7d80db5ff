// TypeScript's library does not declare `JSON.rawJSON` yet, and some browsers do not have it.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }

/**
 * Formats JSON with line breaks. Each number keeps its digits.
 *
 * @returns undefined if the text is not JSON
 */
export const formatJson = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text, keepDigits)
    // Without rawJSON the browser would round numbers.
    return rawJSON === undefined ? text : JSON.stringify(value, null, 2)
  } catch {
    return undefined
  }
}

/** Reviver of `JSON.parse`. Its third argument has the digits of a number, in browsers that pass one. */
const keepDigits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  const digits = context?.source
  return typeof value === 'number' && digits !== undefined ? rawJSON?.(digits) : value
}
