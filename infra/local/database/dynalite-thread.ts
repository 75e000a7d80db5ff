/**
 * The thread of `dynalite.ts`: a server that executes calls by dynalite on the SQLite file of `storage.ts`.
 *
 * Unlike DynamoDB on AWS it refuses requests of web pages, because it accepts any signature: a page that finds the port
 * could otherwise read and write the tables.
 */
import { readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { dataFolderRecordFile } from '../../commands/environment/local-environment.ts'
import { listen } from '../gateway/listen.ts'
import { createCallExecutor } from './calls.ts'
import type { DynaliteOptions } from './dynalite.ts'
import { createFailure, createStorage, isFailure } from './storage.ts'

const lockFile = 'lock'

/** Locks a folder until this process ends, however it ends. */
const lockFolder = (folder: string): void => {
  const lock = new DatabaseSync(join(folder, lockFile))
  // The journal is in memory, so that no other file stands beside the lock.
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  // Keeps a reference to the database: garbage collection would close it and end the lock.
  process.once('exit', () => lock.close())
}

/** Deletes all files of a folder except the lock and the file by which the environment is found. */
const emptyFolder = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    if (name !== lockFile && name !== dataFolderRecordFile) rmSync(join(folder, name), { recursive: true })
  }
}

/** Finds the file for the tables. Locks its folder and, if the options say so, empties it. */
const prepareFile = ({ folder, fresh = false }: DynaliteOptions): string => {
  if (folder === undefined) return ':memory:'
  lockFolder(folder)
  if (fresh) emptyFolder(folder)
  return join(folder, 'dynamodb.sqlite')
}

const performCall = createCallExecutor(createStorage(prepareFile(workerData)))

/** Pattern of the `Host` of a program on this machine. A web page may make its own host name resolve to 127.0.0.1. */
const localHostPattern = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

/** Whether a program on this machine sent the request, not a web page. Browsers add an `Origin` to each POST. */
const isFromProgram = ({ headers: { origin, host = '' } }: IncomingMessage): boolean =>
  origin === undefined && localHostPattern.test(host)

/** Parses the parameters of a call. The refusal has the status 400, after which SDKs do not repeat the request. */
const parseParameters = (body: string): object => {
  try {
    return Object(JSON.parse(body))
  } catch {
    throw createFailure(400, 'SerializationException', 'The body is not JSON.')
  }
}

const accessDeniedMessage =
  'The local database accepts no requests from web pages. Send no header Origin, and the Host 127.0.0.1.'

const server = createServer(async (request, response) => {
  const send = (status: number, body: unknown) =>
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
  try {
    if (!isFromProgram(request)) throw createFailure(403, 'AccessDeniedException', accessDeniedMessage)
    const call = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '')
    const parameters = parseParameters(await text(request))
    send(200, await performCall(call, parameters))
  } catch (error) {
    // A caller that closes its connection in the middle of a request causes an error too, whose response nobody reads.
    const failure = isFailure(error) ? error : createFailure(500, 'InternalServerError', inspect(error))
    send(failure.statusCode, failure.body)
  }
})

// dynalite throws some errors outside any promise. They affect no table, so log them and go on.
process.on('uncaughtException', (error) => console.error('[database]', error))

parentPort?.postMessage(await listen(server, 0))
