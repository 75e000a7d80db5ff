import type { HttpResponse, MultiValues, Received } from './request.ts'

/*
 * What API Gateway does to headers, as "Important notes for REST APIs" lists it and as
 * recorded on AWS for Lambda proxy integrations.
 */

/** These never reach a function. */
const droppedFromRequests = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
])

/** A function's headers with these names get another name. */
const remappedFromResponses = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-md5',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'trailer',
  'upgrade',
  'user-agent',
  'www-authenticate',
])

export const traceIdHeader = 'X-Amzn-Trace-Id'

/** The last value of a header, whatever the case of its name. */
export const headerOf = (headers: MultiValues, name: string): string | undefined =>
  [...headers].find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1].at(-1)

/** The caller's headers without those that end at the gateway, and those that the gateway adds. */
export const requestHeaders = (request: Received): MultiValues => {
  const host = headerOf(request.headers, 'host') ?? ''
  const added = {
    [traceIdHeader]: request.traceId,
    'X-Forwarded-For': request.sourceIp,
    // On AWS these two are always `443` and `https`.
    'X-Forwarded-Port': host.split(':').at(1) ?? '80',
    'X-Forwarded-Proto': 'http',
  }
  const addedNames = new Set(Object.keys(added).map((name) => name.toLowerCase()))
  return new Map([
    ...[...request.headers].filter(([name]) => {
      const lowerCase = name.toLowerCase()
      return !droppedFromRequests.has(lowerCase) && !addedNames.has(lowerCase)
    }),
    ...Object.entries(added).map(([name, value]) => [name, [value]] as const),
  ])
}

type Headers = HttpResponse['headers']

/** A function's headers as they reach the caller. */
export const responseHeaders = (headers: Headers): Headers =>
  headers
    .filter(([name]) => name.toLowerCase() !== 'transfer-encoding')
    .map(([name, value]) =>
      remappedFromResponses.has(name.toLowerCase()) ? [`x-amzn-Remapped-${name}`, value] : [name, value],
    )
