import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { buildSecurityHeaders, cacheControl } from '../reference/security-headers.ts'
import { indexPath, type SiteFile, type SiteOptions } from '../reference/site-options.ts'
import type { Site } from './gateway/gateway.ts'

/**
 * The API reference, built at its first request, so that the start does not wait for it. A thread builds it, which
 * reads the sources as they are then.
 */
export const createReferenceSite = (options: SiteOptions): Site => {
  const common = buildSecurityHeaders(new URL(options.baseUrl).origin)
  const script = new URL('./reference-site-thread.ts', import.meta.url)
  let building: Promise<(readonly SiteFile[])[]> | undefined
  return async ({ rawPath }) => {
    building ??= once(new Worker(script, { workerData: options }), 'message').catch((error: unknown) => {
      building = undefined
      throw error
    })
    const [files = []] = await building
    const file = files.find(({ path }) => path === (rawPath === '/' ? indexPath : rawPath.slice(1)))
    if (file === undefined) return undefined
    const headers = { ...common, 'Content-Type': file.contentType, 'Cache-Control': cacheControl }
    return { status: 200, headers: Object.entries(headers), body: file.body }
  }
}
