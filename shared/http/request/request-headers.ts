type MultiValueHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** Reads all values of a header of an event, whatever the case of its name. */
export const readHeaderValues = (headers: MultiValueHeaders | null, name: string): readonly string[] =>
  Object.keys(headers ?? {})
    // Comparing the lengths first is cheap, and excludes most headers.
    .filter((key) => key.length === name.length && key.toLowerCase() === name.toLowerCase())
    .flatMap((key) => headers?.[key] ?? [])

/**
 * Reads the token of `Authorization: Bearer <token>`. The scheme is matched without case (RFC 9110).
 *
 * @returns `undefined` if the header is missing, repeated or has another form
 */
export const readBearerToken = (headers: MultiValueHeaders | null): string | undefined => {
  const [value, ...others] = readHeaderValues(headers, 'Authorization')
  if (value === undefined || others.length > 0) return undefined
  return /^Bearer +([^ ]+) *$/i.exec(value)?.[1]
}
