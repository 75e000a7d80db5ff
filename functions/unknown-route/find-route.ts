export interface Route {
  /** Path in the contract, such as `/pets/{petId}`. */
  readonly path: string
  readonly methods: readonly string[]
}

/**
 * Finds the route of a path, which has no slash at its beginning. A parameter of a route matches one segment that is
 * not empty.
 *
 * @example findRoute(routes, 'pets/5')?.path // '/pets/{petId}'
 */
export const findRoute = (routes: readonly Route[], path: string): Route | undefined => {
  const segments = path.split('/')
  return routes.find((route) => {
    const routeSegments = route.path.slice(1).split('/')
    return (
      routeSegments.length === segments.length &&
      routeSegments.every((routeSegment, index) => matchesSegment(routeSegment, segments[index]))
    )
  })
}

const matchesSegment = (routeSegment: string, segment: string | undefined): boolean => {
  const isParameter = routeSegment.startsWith('{')
  return isParameter ? segment !== '' : segment === routeSegment
}
