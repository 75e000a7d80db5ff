type MultiValueHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** All values of a header of an event, whatever the case of its name. */
export const headerValues = (headers: MultiValueHeaders | null, name: string): readonly string[] =>
  Object.entries(headers ?? {}).flatMap(([key, values]) =>
    key.toLowerCase() === name.toLowerCase() ? (values ?? []) : [],
  )
