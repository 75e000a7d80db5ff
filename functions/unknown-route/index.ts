import { routes } from '../../shared/contract/generated/routes.ts'
import { createRefusingHandler } from '../../shared/http/operation.ts'
import { decodePath } from '../../shared/http/request/request-path.ts'
import { ServiceError } from '../../shared/service-error.ts'
import { findRoute } from './find-route.ts'

/** Requests that name no operation of the contract: 404 for an unknown path, 405 for another method of a known path. */
export const handler = createRefusingHandler('unknownRoute', (event) => {
  const { httpMethod, pathParameters } = event
  const route = findRoute(routes, decodePath(pathParameters?.['proxy'] ?? ''))

  // API Gateway routes by the path as sent: a percent-encoded path may equal an operation's only after decoding.
  if (route === undefined || route.methods.includes(httpMethod)) throw new ServiceError('route_not_found')

  throw new ServiceError('method_not_allowed', {
    message: `This path does not have the method ${httpMethod}. It has ${route.methods.join(' and ')}.`,
    // API Gateway responds to OPTIONS on every path, for the preflight requests of browsers.
    headers: { Allow: [...route.methods, 'OPTIONS'].join(', ') },
  })
})
