import { routes } from '../../shared/contract/generated/routes.ts'
import { ServiceError } from '../../shared/errors/service-error.ts'
import { createRefusingHandler } from '../../shared/http/operation.ts'
import { decodePath } from '../../shared/http/request-path.ts'
import { findRoute } from './find-route.ts'

/** Requests that belong to no operation of the contract: an unknown path (404), or a known one with another method (405). */
export const handler = createRefusingHandler((event) => {
  const route = findRoute(routes, decodePath(event.pathParameters?.['proxy'] ?? ''))
  // API Gateway routes by the path as sent: a percent-encoded one may equal an operation's only after decoding.
  if (route === undefined || route.methods.includes(event.httpMethod)) throw new ServiceError('route_not_found')
  throw new ServiceError('method_not_allowed', {
    message: `This path does not have the method ${event.httpMethod}. It has ${route.methods.join(' and ')}.`,
    // API Gateway responds to OPTIONS on every path, for the preflight requests of browsers.
    headers: { Allow: [...route.methods, 'OPTIONS'].join(', ') },
  })
})
