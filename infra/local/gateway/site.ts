import type { RestApi } from '../template/rest-api.ts'
import { errorResponse } from './error-response.ts'
import { headerOf } from './headers.ts'
import type { HttpResponse, RequestHead } from './request.ts'

/** What is served beside the API on the same port; `undefined` for a path that it does not have. */
export type Site = (request: RequestHead) => Promise<HttpResponse<Uint8Array> | undefined>

/**
 * The response to a path that is not below the stage: a file of the API reference, or 404. Known
 * difference: on AWS the reference has another host, and API Gateway responds 403
 * `{"message":"Forbidden"}` here, which does not say that the path only lacks the stage.
 */
export const respondOutsideStage = async (
  { stageName }: RestApi,
  request: RequestHead,
  site: Site | undefined,
): Promise<HttpResponse | HttpResponse<Uint8Array>> => {
  const isRead = request.httpMethod === 'GET' || request.httpMethod === 'HEAD'
  const file = isRead ? await site?.(request) : undefined
  return file ?? errorResponse('route_not_found', `Every path begins with /${stageName}.`)
}

/** A file that is served beside the API. */
export interface ServedFile {
  /** Without a slash at its beginning. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly body: Uint8Array
  readonly gzipped: Uint8Array
}

/** @param headers those of every file */
export const fileResponse = (
  file: ServedFile,
  headers: Readonly<Record<string, string>>,
  request: RequestHead,
): HttpResponse<Uint8Array> => {
  const common = Object.entries({ ...headers, ...file.headers, ETag: file.etag, Vary: 'Accept-Encoding' })
  if (isKnown(file, request)) return { status: 304, headers: common, body: new Uint8Array() }
  return acceptsGzip(request)
    ? { status: 200, headers: [...common, ['Content-Encoding', 'gzip']], body: file.gzipped }
    : { status: 200, headers: common, body: file.body }
}

const isKnown = ({ etag }: ServedFile, { headers }: RequestHead): boolean =>
  listOf(headerOf(headers, 'If-None-Match')).some((known) => known === '*' || weak(known) === weak(etag))

/** RFC 9110 compares the tags of If-None-Match without regard to their strength. */
const weak = (etag: string): string => etag.replace(/^W\//, '')

const acceptsGzip = ({ headers }: RequestHead): boolean =>
  listOf(headerOf(headers, 'Accept-Encoding')).some((coding) => {
    const [name, weight = 'q=1'] = coding.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && Number(weight.replace(/^q=/, '')) > 0
  })

const listOf = (value = ''): readonly string[] => value.split(',').map((part) => part.trim())
