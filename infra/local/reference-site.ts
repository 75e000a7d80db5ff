import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { UserError } from '../command-line/user-error.ts'
import { buildSecurityHeaders, cacheControl } from '../reference/security-headers.ts'
import { indexPath, type SiteFile, type SiteOptions } from '../reference/site-options.ts'
import type { Site } from './gateway/gateway.ts'
import { describeAppError } from './synthesis/describe-app-error.ts'

const threadFile = new URL('./reference-site-thread.ts', import.meta.url)

/** Builds the files of the API reference in a new thread, which loads the present code, sends the files and ends. */
export const buildSiteInThread = async (options: SiteOptions): Promise<readonly SiteFile[]> => {
  const [files] = await once(new Worker(threadFile, { workerData: options }), 'message')
  return files
}

/**
 * Creates the API reference. Its files are built at the first request, so that the start does not wait for them.
 *
 * On AWS, CloudFront serves the same files on a host of their own, compressed and with an `ETag`. The local headers
 * are the same, except that `Strict-Transport-Security` is missing.
 */
export const createReferenceSite = (options: SiteOptions, buildSite: typeof buildSiteInThread) => {
  const securityHeaders = buildSecurityHeaders(new URL(options.baseUrl).origin)
  let building: Promise<readonly SiteFile[]> | undefined

  /**
   * Builds the files, unless they are built already.
   *
   * @throws UserError with the lines of the repository that led to the failure, if the files cannot be built
   */
  const build = (): Promise<readonly SiteFile[]> => {
    building ??= buildSite(options).catch((error: unknown) => {
      // The next request builds the files again.
      building = undefined
      throw new UserError(`The API reference cannot be built:\n${describeAppError(error)}`, { cause: error })
    })
    return building
  }

  const respond: Site = async ({ rawPath }) => {
    const path = rawPath === '/' ? indexPath : rawPath.slice(1)
    const files = await build()
    const file = files.find((candidate) => candidate.path === path)
    if (file === undefined) return undefined

    const headers = { ...securityHeaders, 'Content-Type': file.contentType, 'Cache-Control': cacheControl }
    return { status: 200, headers: Object.entries(headers), body: file.body }
  }

  return { build, respond }
}
