import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { createStore, type Done, type Store } from './dynalite-store.ts'
import { completeDynalite } from './old-item-on-failure.ts'
import { refuseWebPages } from './refuse-web-pages.ts'

/** The one message of the thread of `dynalite.ts`; an error before it means that the tables cannot be opened. */
export interface Listening {
  readonly port: number
}

const file: string | undefined = workerData
const require = createRequire(import.meta.url)
completeDynalite(require)

// Everything of dynalite that is replaced must be so before dynalite itself is loaded.
require('dynalite/db').create = (options: object) => createStore(options, file)

type Operation = (store: Store, parameters: object, done: Done) => void

for (const name of ['createTable', 'deleteTable', 'putItem', 'updateItem', 'deleteItem']) {
  const path = require.resolve(`dynalite/actions/${name}`)
  const operation: Operation = require(path)
  const atomic: Operation = (store, parameters, done) =>
    store.atomically((completed) => operation(store, parameters, completed), done)
  const loaded = require.cache[path]
  if (loaded !== undefined) loaded.exports = atomic
}
/** dynalite has no types. */
const createServer: (options: object) => Server = require('dynalite')

const server = createServer({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
// dynalite throws where nothing can catch it, also when a caller closes its connection in the middle of a request. No
// table is affected: what an operation has not completed is not kept.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ECONNRESET') console.error('[database]', error)
})

refuseWebPages(server)
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port, and on no pipe, gives its address as an object.
  const address = server.address() as AddressInfo
  parentPort?.postMessage({ port: address.port } satisfies Listening)
})
