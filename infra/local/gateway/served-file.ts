import { headerOf } from './headers.ts'
import type { RequestHead } from './receive.ts'
import type { Answer } from './request.ts'

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
export const answerFile = (
  file: ServedFile,
  headers: Readonly<Record<string, string>>,
  request: RequestHead,
): Answer<Uint8Array> => {
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
