export interface Route {
  /** The path in the contract, such as `/pets/{petId}`. */
  readonly path: string
  readonly methods: readonly string[]
}

/** The route of a path that has no slash at its beginning. A parameter matches one segment that is not empty. */
export const findRoute = (routes: readonly Route[], path: string): Route | undefined => {
  const segments = path.split('/')
  return routes.find((route) => {
    const expected = route.path.slice(1).split('/')
    return (
      expected.length === segments.length &&
      expected.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== ''))
    )
  })
}
