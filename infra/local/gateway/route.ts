import type { ApiResource, RestApi } from '../template/rest-api.ts'
import type { MultiValues, Received, Routed } from './request.ts'
import type { GatewayResponseType } from './responses.ts'

/**
 * Finds the method for a request, as "Amazon API Gateway" documents it: a static segment goes before
 * a parameter, a parameter before `{proxy+}`. A resource that has neither the method nor `ANY` is
 * passed over, so a known path with another method goes to `{proxy+}`.
 *
 * @returns undefined for a path that does not begin with the stage
 */
export const route = (api: RestApi, received: Received): Routed | GatewayResponseType | undefined => {
  const path = pathInStage(api, received)
  const query = parseQuery(received.rawQuery)
  if (path === undefined) return undefined
  if (query === undefined) return 'BAD_REQUEST_PARAMETERS'
  // Slashes at the end make no difference to the route. Segments stay percent-encoded as sent.
  const requested = path.replace(/(?<!\/)\/+$/, '')
  const [match] = api.resources
    .flatMap((resource) => {
      const method = resource.methods.get(received.httpMethod) ?? resource.methods.get('ANY')
      const pathParameters = matchPath(resource, requested)
      return method && pathParameters ? [{ resource, method, pathParameters }] : []
    })
    .toSorted((one, other) => (rank(one.resource) < rank(other.resource) ? -1 : 1))
  return match === undefined ? 'MISSING_AUTHENTICATION_TOKEN' : { ...received, ...match, query, path }
}

/** What follows the stage, as sent. Several slashes before the stage or after it count as one. */
const pathInStage = (api: RestApi, { rawPath }: Received): string | undefined => {
  const [, stage, rest = ''] = /^\/*([^/]*)(.*)$/s.exec(rawPath) ?? []
  return stage === api.stageName ? rest.replace(/^\/*/, '/') : undefined
}

/** @returns the path parameters, or undefined where the path is not that of the resource. */
const matchPath = ({ path }: ApiResource, requested: string): Routed['pathParameters'] | undefined => {
  const names: string[] = []
  const pattern = path.replace(/\{([^}+]+)(\+?)\}|[.*+?^$()|[\]\\]/g, (part, name, greedy) => {
    if (name === undefined) return `\\${part}`
    names.push(name)
    return greedy ? '(.+)' : '([^/]+)'
  })
  const match = new RegExp(`^${pattern}$`, 's').exec(requested || '/')
  return match ? Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ''])) : undefined
}

/** Sorts a static segment before a parameter, and a parameter before `{proxy+}`. */
const rank = ({ path }: ApiResource): string => path.replace(/\{[^}]+\+\}/, '~~').replaceAll(/\{[^}]+\}/g, '~')

/** @returns undefined where a `%` is not followed by the digits of a UTF-8 character. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** API Gateway decodes the query for a Lambda proxy integration, and takes `+` for a space. */
const parseQuery = (rawQuery: string): MultiValues | undefined => {
  const query = new Map<string, string[]>()
  for (const pair of rawQuery.split('&').filter((part) => part !== '')) {
    const [name = '', ...rest] = pair.split('=')
    const decodedName = decode(name.replaceAll('+', ' '))
    const value = decode(rest.join('=').replaceAll('+', ' '))
    if (decodedName === undefined || value === undefined) return undefined
    query.set(decodedName, [...(query.get(decodedName) ?? []), value])
  }
  return query
}
