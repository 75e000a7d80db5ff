import type { ApiResource, RestApi } from '../template/rest-api.ts'
import type { GatewayResponseType } from './gateway-response.ts'
import type { MultiValues, Received, Routed } from './request.ts'

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
  const segments = path
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .slice(1)
  const [match] = api.resources
    .flatMap((resource) => {
      const method = resource.methods.get(received.httpMethod) ?? resource.methods.get('ANY')
      const matched = method && matchPath(resource, segments)
      return method && matched ? [{ resource, method, ...matched }] : []
    })
    .toSorted((one, other) => compareRanks(one.ranks, other.ranks))
  if (match === undefined) return 'MISSING_AUTHENTICATION_TOKEN'
  const { resource, method, pathParameters } = match
  return { ...received, resource, method, pathParameters, query, path }
}

/** What follows the stage, as sent. Several slashes before the stage or after it count as one. */
const pathInStage = (api: RestApi, { rawPath }: Received): string | undefined => {
  const [, stage, rest = ''] = /^\/*([^/]*)(.*)$/s.exec(rawPath) ?? []
  return stage === api.stageName ? rest.replace(/^\/*/, '/') : undefined
}

const staticRank = 0
const parameterRank = 1
const greedyRank = 2

interface Match {
  readonly pathParameters: Readonly<Record<string, string>>
  readonly ranks: readonly number[]
}

const matchPath = ({ path }: ApiResource, segments: readonly string[]): Match | undefined => {
  const parts = path.split('/').filter((part) => part !== '')
  const pathParameters: Record<string, string> = {}
  const ranks: number[] = []
  for (const [index, part] of parts.entries()) {
    const greedy = /^\{(.+)\+\}$/.exec(part)?.[1]
    if (greedy !== undefined) {
      if (index >= segments.length) return undefined
      pathParameters[greedy] = segments.slice(index).join('/')
      return { pathParameters, ranks: [...ranks, greedyRank] }
    }
    const parameter = /^\{(.+)\}$/.exec(part)?.[1]
    const segment = segments[index]
    if (segment === undefined) return undefined
    if (parameter === undefined && part !== segment) return undefined
    if (parameter !== undefined) {
      if (segment === '') return undefined
      pathParameters[parameter] = segment
    }
    ranks.push(parameter === undefined ? staticRank : parameterRank)
  }
  return parts.length === segments.length ? { pathParameters, ranks } : undefined
}

/** Compares the first segments in which they differ. */
const compareRanks = (one: readonly number[], other: readonly number[]): number => {
  const differing = one.findIndex((rank, index) => rank !== other[index])
  return differing < 0 ? 0 : (one[differing] ?? 0) - (other[differing] ?? 0)
}

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
