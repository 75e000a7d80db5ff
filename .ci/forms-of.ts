/**
 * The forms in which a text may hide in bytes, as far as each can be turned back: clear, UTF-16, base64 at
 * each of the three places of a longer text, hex, percent-encoding, and backwards.
 */
export const formsOf = (secret: string): readonly Buffer[] => {
  const hex = Buffer.from(secret).toString('hex')
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.from('\0'.repeat(before) + secret).toString('base64')
    // The first and the last characters also depend on what stands around the secret.
    return text.slice(before === 0 ? 0 : 4, -4)
  })
  const texts = [
    secret,
    [...secret].toReversed().join(''),
    hex,
    hex.toUpperCase(),
    hex.replace(/../g, '%$&').toLowerCase(),
    hex.toUpperCase().replace(/../g, '%$&'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  return [...new Set(texts)].map((text) => Buffer.from(text)).concat(Buffer.from(secret, 'utf16le'))
}
