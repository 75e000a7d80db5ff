import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { completeDynalite } from './old-item-on-refusal.ts'

/**
 * The thread of `dynalite.ts`: it listens on a free port of this machine until it is told to close.
 * Its one message is this; an error before it means that the database cannot be opened.
 */
export interface Listening {
  readonly port: number
}

const require = createRequire(import.meta.url)
completeDynalite(require)
/** dynalite has no types. */
const createServer: (options: object) => Server = require('dynalite')

/**
 * dynalite opens its files only when the first request comes, and then nothing tells why they do
 * not open.
 */
const checkFolder = async (path: string): Promise<void> => {
  const { Level }: { Level: LevelConstructor } = createRequire(require.resolve('dynalite'))('level')
  const level = new Level(path)
  await level.open()
  await level.close()
}

type LevelConstructor = new (path: string) => { open(): Promise<void>; close(): Promise<void> }

// When a caller goes away in the middle of a request (a function that is ended at its timeout),
// dynalite throws the connection's error where nothing can catch it. The tables are not concerned.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code === 'ECONNRESET') return
  throw error
})

const folder: string | undefined = workerData.folder
if (folder !== undefined) await checkFolder(folder)

const server = createServer({
  ...(folder === undefined ? {} : { path: folder }),
  createTableMs: 0,
  deleteTableMs: 0,
  updateTableMs: 0,
})
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port, and on no pipe, gives its address as an object.
  const { port } = server.address() as AddressInfo
  parentPort?.postMessage({ port } satisfies Listening)
})

parentPort?.once('message', () => {
  server.closeAllConnections()
  server.close(() => process.exit())
})
