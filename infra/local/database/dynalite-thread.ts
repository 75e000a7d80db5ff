/** The thread of `dynalite.ts`: dynalite with another store, and with what it lacks of DynamoDB. */
import { readdirSync, rmSync } from 'node:fs'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import { environmentFile } from '../../operations/target/environment-file.ts'
import { listen } from '../gateway/listen.ts'
import { completeDynalite, type Transaction, transact } from './complete-dynalite.ts'
import type { DynaliteOptions } from './dynalite.ts'
import { createStore } from './store.ts'

const lockFile = 'lock'

/** Locks a folder until this process ends, however it ends, and then empties it for a fresh start. */
const lockFolder = (folder: string, fresh: boolean): void => {
  const lock = new DatabaseSync(join(folder, lockFile))
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  // What nothing refers to would be closed some time.
  process.once('exit', () => lock.close())
  for (const name of fresh ? readdirSync(folder) : []) {
    if (name !== lockFile && name !== environmentFile) rmSync(join(folder, name), { recursive: true })
  }
}

const { folder, fresh = false }: DynaliteOptions = workerData
if (folder !== undefined) lockFolder(folder, fresh)
const store = createStore(folder === undefined ? ':memory:' : join(folder, 'dynamodb.sqlite'))

const require = createRequire(import.meta.url)
completeDynalite(require, store)

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

const server: Server = require('dynalite')()
const [respond] = server.listeners('request') as RequestListener[]
server.removeAllListeners('request').on('request', async (request, response) => {
  const isAllowed = isOfThisMachine(request)
  const isTransaction = request.headers['x-amz-target'] === 'DynamoDB_20120810.TransactWriteItems'
  if (isAllowed && !isTransaction) return respond?.(request, response)
  const [status, body] = isAllowed
    ? transact(require, store, (await json(request)) as Transaction)
    : [403, accessDenied]
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
})
parentPort?.postMessage(await listen(server, 0))
