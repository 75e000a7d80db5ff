import type { ApiMethod, RestApi } from '../template/rest-api.ts'
import type { GatewayResponseType, Received, Routed } from './request.ts'

/**
 * Finds the method for a request, as "Amazon API Gateway" documents it: a static segment goes before a parameter, a
 * parameter before `{proxy+}`. A resource that has neither the method nor `ANY` is passed over, so a known path with
 * another method goes to `{proxy+}`.
 */
export const createRouter = ({ stageName, methods }: RestApi) => {
  const inOrder = methods.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
  const routes = inOrder.map((method) => ({ method, pattern: patternOf(method.path) }))

  return (received: Received): Routed | GatewayResponseType | 'OUTSIDE_STAGE' => {
    // Several slashes before the stage or after it count as one.
    const [, stage, rest = ''] = /^\/*([^/]*)(.*)$/s.exec(received.rawPath) ?? []
    if (stage !== stageName) return 'OUTSIDE_STAGE'
    const path = rest.replace(/^\/*/, '/')
    for (const { method, pattern } of routes) {
      if (method.httpMethod !== received.httpMethod && method.httpMethod !== 'ANY') continue
      const match = pattern.exec(path)
      if (match !== null) return { ...received, method, path, pathParameters: match.groups ?? {} }
    }
    return 'MISSING_AUTHENTICATION_TOKEN'
  }
}

/** Sorts a static segment before a parameter, a parameter before `{proxy+}`, and `ANY` after a method of its own. */
const rank = ({ path, httpMethod }: ApiMethod): string =>
  `${path.replace(/\{\w+\+\}/, '~~').replaceAll(/\{\w+\}/g, '~')} ${httpMethod === 'ANY' ? '~' : ''}`

/** Slashes at the end make no difference to the route, but no parameter takes them. */
const patternOf = (path: string): RegExp => {
  const pattern = path
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)(\+?)\}/g, (_, name: string, greedy) => `(?<${name}>${greedy ? '.*[^/]' : '[^/]+'})`)
  return new RegExp(`^${pattern.replace(/\/$/, '')}/*$`, 's')
}
