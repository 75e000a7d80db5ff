/** The thread of `dynalite.ts`: dynalite's operations on another store, behind a server of our own. */
import { readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { dataFolderRecordFile } from '../../operations/environment/local-environment-record.ts'
import { listen } from '../gateway/listen.ts'
import type { DynaliteOptions } from './dynalite.ts'
import { createOperations } from './operations.ts'
import { createFailure, createStore, isFailure } from './store.ts'

const lockFile = 'lock'

/** Locks a folder until this process ends, however it ends, and then empties it for a fresh start. */
const lockFolder = (folder: string, fresh: boolean): void => {
  const lock = new DatabaseSync(join(folder, lockFile))
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  // What nothing refers to would be closed some time.
  process.once('exit', () => lock.close())
  for (const name of fresh ? readdirSync(folder) : []) {
    if (name !== lockFile && name !== dataFolderRecordFile) rmSync(join(folder, name), { recursive: true })
  }
}

const { folder, fresh = false }: DynaliteOptions = workerData
if (folder !== undefined) lockFolder(folder, fresh)
const perform = createOperations(createStore(folder === undefined ? ':memory:' : join(folder, 'dynamodb.sqlite')))

/** Nothing of a web page, which could read and write the tables otherwise: it may make its own host name resolve to 127.0.0.1. */
const isOfThisMachine = ({ headers: { origin, host = '' } }: IncomingMessage): boolean =>
  origin === undefined && /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)

const denied = 'The local database accepts no requests from web pages. Send no header Origin, and the Host 127.0.0.1.'

const server = createServer(async (request, response) => {
  const send = (status: number, body: unknown) =>
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
  try {
    if (!isOfThisMachine(request)) throw createFailure(403, 'AccessDeniedException', denied)
    const operation = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '')
    send(200, await perform(operation, Object(await json(request))))
  } catch (error) {
    // Where the caller closes its connection in the middle of a request, nobody reads this.
    const failed = isFailure(error) ? error : createFailure(500, 'InternalServerError', inspect(error))
    send(failed.statusCode, failed.body)
  }
})
// What dynalite throws where nothing can catch it: no table is affected.
process.on('uncaughtException', (error) => console.error('[database]', error))
parentPort?.postMessage(await listen(server, 0))
