import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../../shared/clock.ts'
import { headerOf, traceIdHeader } from './headers.ts'
import type { HttpResponse, MultiValues, Received, RequestHead } from './request.ts'

/** "Amazon API Gateway quotas": payload size, not adjustable. */
const maximumBodyBytes = 10 * 1024 * 1024

const tooLong: HttpResponse = {
  status: 413,
  headers: [['Content-Type', 'text/plain']],
  body: `HTTP content length exceeded ${maximumBodyBytes} bytes.`,
}

export const receiveHead = (request: IncomingMessage, clock: Clock): RequestHead => {
  const { rawPath, rawQuery } = splitTarget(request.url ?? '/')
  const headers = collect(request.rawHeaders)
  const receivedAt = clock()
  return {
    requestId: randomUUID(),
    extendedRequestId: randomBytes(11).toString('base64url').concat('='),
    traceId: headerOf(headers, traceIdHeader) ?? newTraceId(receivedAt),
    receivedAt,
    httpMethod: request.method ?? 'GET',
    rawPath,
    rawQuery,
    headers,
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
  }
}

/** "Amazon API Gateway and AWS X-Ray": the time in hexadecimal seconds, then 96 random bits. */
const newTraceId = (now: number): string =>
  `Root=1-${Math.floor(now / 1_000).toString(16)}-${randomBytes(12).toString('hex')}`

/**
 * Reads the body as text: without binary media types API Gateway passes every body on as UTF-8.
 *
 * @returns the response to a body that is too large. It comes from AWS's edge, before API Gateway, so the gateway
 * response REQUEST_TOO_LARGE does not apply.
 * @throws Error when the caller closes the connection before it has sent the whole body.
 */
export const receive = async (head: RequestHead, request: IncomingMessage): Promise<Received | HttpResponse> => {
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
  return { ...head, body: length === 0 ? undefined : Buffer.concat(chunks).toString('utf8') }
}

/** The target is a path, or a whole URL where the caller takes this for a proxy. */
const splitTarget = (target: string): { readonly rawPath: string; readonly rawQuery: string } => {
  const [beforeQuery = '', ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  return { rawPath: beforeQuery || '/', rawQuery: query.join('?') }
}

/**
 * Names that differ only in case are the same header; the first spelling stands for all.
 *
 * @param rawHeaders names and values by turns
 */
const collect = (rawHeaders: readonly string[]): MultiValues => {
  const spelling = new Map<string, string>()
  const collected = new Map<string, string[]>()
  for (const [index, name] of rawHeaders.entries()) {
    if (index % 2 === 1) continue
    const spelled = spelling.get(name.toLowerCase()) ?? name
    spelling.set(name.toLowerCase(), spelled)
    collected.set(spelled, [...(collected.get(spelled) ?? []), rawHeaders[index + 1] ?? ''])
  }
  return collected
}
