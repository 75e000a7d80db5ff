import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { cacheControl } from '../reference/security-headers.ts'
import { buildSite } from '../reference/site.ts'
import type { SiteOptions } from '../reference/site-options.ts'
import type { ServedFile } from './gateway/site.ts'

/** The thread of `reference-site.ts`: it builds the site, sends its files and ends. */
const options: SiteOptions = workerData

const files = buildSite(options).map(
  ({ path, contentType, caching, body }): ServedFile => ({
    path,
    headers: { 'Content-Type': contentType, 'Cache-Control': cacheControl[caching] },
    // Weak, because it stands for the compressed bytes as well.
    etag: `W/"${createHash('sha256').update(body).digest('base64url')}"`,
    body: Buffer.from(body),
    gzipped: gzipSync(body),
  }),
)
parentPort?.postMessage(files)
