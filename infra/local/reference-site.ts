import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { buildSecurityHeaders, cacheControl } from '../reference/security-headers.ts'
import { indexPath, type SiteFile, type SiteOptions } from '../reference/site-options.ts'
import type { Site } from './gateway/gateway.ts'

const threadFile = new URL('./reference-site-thread.ts', import.meta.url)

/**
 * Creates the API reference. A thread builds its files at the first request, so that the start does not wait for them.
 * The thread reads the sources as they are at that time.
 *
 * On AWS, CloudFront serves the same files on a host of their own, compressed and with an `ETag`. The local headers
 * are the same, except that `Strict-Transport-Security` is missing.
 */
export const createReferenceSite = (options: SiteOptions): Site => {
  const securityHeaders = buildSecurityHeaders(new URL(options.baseUrl).origin)
  let building: Promise<readonly SiteFile[]> | undefined

  const getFiles = (): Promise<readonly SiteFile[]> => {
    building ??= buildFiles(options).catch((error: unknown) => {
      // The next request builds the files again.
      building = undefined
      throw error
    })
    return building
  }

  return async ({ rawPath }) => {
    const path = rawPath === '/' ? indexPath : rawPath.slice(1)
    const files = await getFiles()
    const file = files.find((candidate) => candidate.path === path)
    if (file === undefined) return undefined

    const headers = { ...securityHeaders, 'Content-Type': file.contentType, 'Cache-Control': cacheControl }
    return { status: 200, headers: Object.entries(headers), body: file.body }
  }
}

/** Builds the files in a thread, which sends them as its only message. */
const buildFiles = async (options: SiteOptions): Promise<readonly SiteFile[]> => {
  const [files] = await once(new Worker(threadFile, { workerData: options }), 'message')
  return files
}
