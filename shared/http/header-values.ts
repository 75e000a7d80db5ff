type MultiValueHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** All values of a header of an event, whatever the case of its name. */
export const headerValues = (headers: MultiValueHeaders | null, name: string): readonly string[] =>
  Object.keys(headers ?? {})
    .filter((key) => key.length === name.length && key.toLowerCase() === name.toLowerCase())
    .flatMap((key) => headers?.[key] ?? [])
