import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../../shared/clock.ts'
import { type HttpResponse, headerOf, type MultiValues, type Received, traceIdHeader } from './request.ts'

/** "Amazon API Gateway quotas": payload size, not adjustable. */
const maximumBodyBytes = 10 * 1024 * 1024

/** It comes from AWS's edge, before API Gateway, so the gateway response REQUEST_TOO_LARGE does not apply. */
const tooLong: HttpResponse = {
  status: 413,
  headers: [['Content-Type', 'text/plain']],
  body: `HTTP content length exceeded ${maximumBodyBytes} bytes.`,
}

/**
 * Reads a request. Its body is text: without binary media types API Gateway passes every body on as UTF-8.
 *
 * @returns the response to a body that is too large
 * @throws Error when the caller closes the connection before it has sent the whole body
 */
export const receive = async (request: IncomingMessage, clock: Clock): Promise<Received | HttpResponse> => {
  const receivedAt = clock()
  const chunks: Buffer[] = []
  let length = 0
  // A body that is too large is still read to its end: a caller whose connection ends while it sends
  // often never sees the response.
  for await (const chunk of request) {
    length += chunk.length
    if (length <= maximumBodyBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  if (length > maximumBodyBytes) return tooLong
  // The target is a path, or a whole URL where the caller takes this for a proxy.
  const [rawPath = '', ...query] = (request.url ?? '').replace(/^https?:\/\/[^/?]*/i, '').split('?')
  const headers = collect(request.rawHeaders)
  return {
    requestId: randomUUID(),
    extendedRequestId: randomBytes(11).toString('base64url').concat('='),
    traceId: headerOf(headers, traceIdHeader) ?? newTraceId(receivedAt),
    receivedAt,
    httpMethod: request.method ?? 'GET',
    rawPath: rawPath || '/',
    rawQuery: query.join('?'),
    headers,
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    body: length === 0 ? undefined : Buffer.concat(chunks).toString('utf8'),
  }
}

/** "Amazon API Gateway and AWS X-Ray": the time in hexadecimal seconds, then 96 random bits. */
const newTraceId = (now: number): string =>
  `Root=1-${Math.floor(now / 1_000).toString(16)}-${randomBytes(12).toString('hex')}`

/**
 * Names that differ only in case are the same header; the first spelling stands for all.
 *
 * @param rawHeaders names and values by turns
 */
const collect = (rawHeaders: readonly string[]): MultiValues => {
  const collected = new Map<string, readonly [spelling: string, values: string[]]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    const known = collected.get(name.toLowerCase())
    if (known === undefined) collected.set(name.toLowerCase(), [name, [value]])
    else known[1].push(value)
  }
  return new Map(collected.values())
}
