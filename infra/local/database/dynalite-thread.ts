import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { completeDynalite } from './old-item-on-refusal.ts'

/** The thread of `dynalite.ts`: it listens on a free port of this machine until it is told to close. */
export type ThreadReport =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly reason: string }

const require = createRequire(import.meta.url)
completeDynalite(require)
/** dynalite has no types. */
const createServer: (options: object) => Server = require('dynalite')

const report = (message: ThreadReport): void => parentPort?.postMessage(message)

// When a caller goes away in the middle of a request (a function that is ended at its timeout),
// dynalite throws the connection's error where nothing can catch it. The tables are not concerned.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code === 'ECONNRESET') return
  report({ kind: 'failed', reason: error.message })
  throw error
})

const folder: string | undefined = workerData.folder
const server = createServer({
  ...(folder === undefined ? {} : { path: folder }),
  createTableMs: 0,
  deleteTableMs: 0,
  updateTableMs: 0,
})
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port, and on no pipe, gives its address as an object.
  const { port } = server.address() as AddressInfo
  report({ kind: 'listening', port })
})

parentPort?.once('message', () => {
  server.closeAllConnections()
  server.close(() => process.exit())
})
