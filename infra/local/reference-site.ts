import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { securityHeaders } from '../reference/security-headers.ts'
import { indexPath } from '../reference/site.ts'
import type { SiteOptions } from '../reference/site-options.ts'
import { fileResponse, type ServedFile, type Site } from './gateway/site.ts'

/**
 * The API reference, built at its first request, so that the start does not wait for it. A thread builds it, which
 * reads the sources as they are then.
 */
export const referenceSite = (options: SiteOptions): Site => {
  const headers = securityHeaders(new URL(options.baseUrl).origin)
  let files: Promise<ReadonlyMap<string, ServedFile>> | undefined
  return async (request) => {
    files ??= buildFiles(options).catch((error: unknown) => {
      files = undefined
      throw error
    })
    const path = request.rawPath === '/' ? indexPath : request.rawPath.slice(1)
    const file = (await files).get(path)
    return file && fileResponse(file, headers, request)
  }
}

const buildFiles = async (options: SiteOptions): Promise<ReadonlyMap<string, ServedFile>> => {
  const thread = new Worker(new URL('./reference-site-thread.ts', import.meta.url), { workerData: options })
  const [files = []]: (readonly ServedFile[])[] = await once(thread, 'message')
  return new Map(files.map((file) => [file.path, file]))
}
