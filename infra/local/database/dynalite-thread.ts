/** The thread of `dynalite.ts`: dynalite with another store, and with what it lacks of DynamoDB. */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createRequire } from 'node:module'
import { json } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import { listen } from '../gateway/listen.ts'
import { completeDynalite } from './old-item-on-failure.ts'
import { createStore } from './store.ts'
import { type Operation, type Transaction, transact } from './transactions.ts'

const file: string | undefined = workerData
const store = createStore(file)

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

// dynalite throws where nothing can catch it, also when a caller closes its connection in the middle of a request. No
// table is affected: what an operation has not completed is not kept.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ECONNRESET') console.error('[database]', error)
})

/** Nothing of a web page, which could read and write the tables otherwise: it may make its own host name resolve to 127.0.0.1. */
const isOfThisMachine = ({ headers: { origin, host = '' } }: IncomingMessage): boolean =>
  origin === undefined && /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)

const accessDenied = {
  __type: 'AccessDeniedException',
  message: 'The local database accepts no requests from web pages. Send no header Origin, and the Host 127.0.0.1.',
}

/** What it does not support is refused: without a response the caller would wait for its timeout. */
const respondTransaction = async (request: IncomingMessage) => {
  try {
    return transact(require, store, (await json(request)) as Transaction)
  } catch (error) {
    const __type = 'com.amazon.coral.validate#ValidationException'
    return [400, { __type, message: `The local database does not support this transaction (${error}).` }] as const
  }
}

/** dynalite has no types. */
const server: Server = require('dynalite')()
const [respond] = server.listeners('request') as RequestListener[]
server.removeAllListeners('request').on('request', async (request, response) => {
  const isAllowed = isOfThisMachine(request)
  const isTransaction = request.headers['x-amz-target'] === 'DynamoDB_20120810.TransactWriteItems'
  if (isAllowed && !isTransaction) return respond?.(request, response)
  const [status, body] = isAllowed ? await respondTransaction(request) : [403, accessDenied]
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
})
parentPort?.postMessage(await listen(server, 0))
