import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { checkFiles, closeIteratorsWithStreams, endWithFailedWrite } from './dynalite-files.ts'
import { writeItemsWithIndexes } from './items-with-indexes.ts'
import { completeDynalite } from './old-item-on-failure.ts'
import { refuseWebPages } from './refuse-web-pages.ts'

/** The thread of `dynalite.ts`: it listens until it gets a message to close, or an error ends it. */
export interface ThreadSettings {
  /** Keeps the tables; without one they are in memory. */
  readonly folder: string | undefined
  /** 0 takes a free one. */
  readonly port: number
}

/** Its one message; an error before it means that the database cannot be opened. */
export interface Listening {
  readonly port: number
}

const require = createRequire(import.meta.url)
completeDynalite(require)
writeItemsWithIndexes(require)
endWithFailedWrite(require)
closeIteratorsWithStreams(require)
/** dynalite has no types. */
const createServer: (options: object) => Server = require('dynalite')

// When a caller closes its connection in the middle of a request (a function that ends at its timeout),
// dynalite throws the connection's error where nothing can catch it. The tables are not affected.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code === 'ECONNRESET') return
  throw error
})

const { folder, port }: ThreadSettings = workerData
if (folder !== undefined) await checkFiles(require, folder)

const server = createServer({
  ...(folder === undefined ? {} : { path: folder }),
  createTableMs: 0,
  deleteTableMs: 0,
  updateTableMs: 0,
})
refuseWebPages(server)
server.listen(port, '127.0.0.1', () => {
  // A server that listens on a port, and on no pipe, gives its address as an object.
  const address = server.address() as AddressInfo
  parentPort?.postMessage({ port: address.port } satisfies Listening)
})

parentPort?.once('message', () => {
  server.closeAllConnections()
  server.close(() => process.exit())
})
