import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { securityHeaders } from '../reference/security-headers.ts'
import { indexPath } from '../reference/site.ts'
import type { SiteOptions } from '../reference/site-options.ts'
import type { Site } from './gateway/outside-stage.ts'
import { answerFile, type ServedFile } from './gateway/served-file.ts'

/**
 * The API reference, built when it is first asked for: nobody who only uses the API waits for it. It is
 * built in a thread of its own, which reads the sources as they are by then.
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
    return file && answerFile(file, headers, request)
  }
}

const buildFiles = async (options: SiteOptions): Promise<ReadonlyMap<string, ServedFile>> => {
  const thread = new Worker(new URL('./reference-site-thread.ts', import.meta.url), { workerData: options })
  const [files = []]: (readonly ServedFile[])[] = await once(thread, 'message')
  return new Map(files.map((file) => [file.path, file]))
}
