import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { createStore } from './dynalite-store.ts'
import { completeDynalite } from './old-item-on-failure.ts'
import { refuseWebPages } from './refuse-web-pages.ts'
import { acceptTransactions, type Operation } from './transactions.ts'

/** The one message of the thread of `dynalite.ts`; an error before it means that the tables cannot be opened. */
export interface Listening {
  readonly port: number
}

const file: string | undefined = workerData
/** Tables change their status at once, and an item has 400 KB at most. */
const store = createStore({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, maxItemSize: 400 * 1024 }, file)

// What is changed of dynalite must be so before dynalite itself is loaded.
const require = createRequire(import.meta.url)
completeDynalite(require)
require('dynalite/db').create = () => store
for (const name of ['createTable', 'deleteTable', 'putItem', 'updateItem', 'deleteItem']) {
  const path = require.resolve(`dynalite/actions/${name}`)
  const operation: Operation = require(path)
  const atomic: Operation = (_, parameters, done) =>
    store.atomically((completed) => operation(store, parameters, completed), done)
  Object.assign(require.cache[path] ?? {}, { exports: atomic })
}
/** dynalite has no types. */
const createServer: () => Server = require('dynalite')

// dynalite throws where nothing can catch it, also when a caller closes its connection in the middle of a request. No
// table is affected: what an operation has not completed is not kept.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ECONNRESET') console.error('[database]', error)
})

const server = createServer()
acceptTransactions(require, server, store)
refuseWebPages(server)
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port, and on no pipe, gives its address as an object.
  const address = server.address() as AddressInfo
  parentPort?.postMessage({ port: address.port } satisfies Listening)
})
