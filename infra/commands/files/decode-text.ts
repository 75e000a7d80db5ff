interface DecodedText {
  readonly text: string
  /** Whether the bytes are UTF-8 although another encoding was named. They are read as UTF-8. */
  readonly isUnexpectedUtf8: boolean
}

/**
 * Decodes a file by its byte order mark, or else by the encoding that is named.
 *
 * Text in another encoding is valid UTF-8 only if it has no character beyond ASCII: in the other encoding, such a
 * character of UTF-8 would be a pair that nobody writes, such as `Ã«`.
 *
 * @param encoding as the Encoding Standard names it
 * @returns undefined if the bytes are not in the encoding, or end inside a character
 */
export const decodeText = (bytes: Buffer, encoding = 'utf-8'): DecodedText | undefined => {
  const marked = findByteOrderMark(bytes)
  const isNamed = marked === undefined && new TextDecoder(encoding).encoding !== 'utf-8'
  const isUnexpectedUtf8 = isNamed && bytes.some((byte) => byte > 0x7f) && decode(bytes, 'utf-8') !== undefined
  const text = decode(bytes, isUnexpectedUtf8 ? 'utf-8' : (marked ?? encoding))
  return text === undefined ? undefined : { text, isUnexpectedUtf8 }
}

/** Decodes bytes, without their byte order mark. */
const decode = (bytes: Buffer, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const findByteOrderMark = ([first, second, third]: Buffer): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}
