import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../../../infra/local/gateway/listen.ts'

/** What can become of a call to DynamoDB. The first three happen before the engine gets it, the others after its commit. */
export const faults = [
  /** The item, or the table, takes no more. */
  'throttled',
  'internal error',
  'request lost',
  'response lost',
  /** The connection ends in the middle of the response. */
  'half a response',
  /** The response stops in its middle, and the connection stays. */
  'stalled response',
  /** The response never begins, and the connection stays. */
  'no response',
] as const

export type Fault = (typeof faults)[number]

/** One attempt of a call to DynamoDB. */
export interface Call {
  /** Such as `UpdateItem`. */
  readonly operation: string
  readonly table: string
  readonly index: string | undefined
}

/**
 * What becomes of a call. The engine gets it after `beforeCommit`, even if the caller has given up by then. `afterCommit`
 * runs when the engine has responded, and before the caller can know.
 */
export interface Fate {
  readonly fault?: Fault
  readonly beforeCommit?: () => Promise<void>
  readonly afterCommit?: () => Promise<void>
}

/** Stands between functions and a DynamoDB engine, on 127.0.0.1. */
export interface FaultProxy {
  /** Decides on each call. */
  decide: (call: Call) => Fate
  /** How often each fault has happened. */
  readonly happened: Map<Fault, number>
  /** All attempts since the last look, in order. */
  readonly calls: Call[]
  readonly endpoint: string
  /** Refuses connections until `open`. */
  close(): Promise<void>
  open(): Promise<void>
}

export const unharmed = (): Fate => ({})

/** Decides on the first call that is meant, and on no other. */
export const onFirst = (isMeant: (call: Call) => boolean, decide: (call: Call) => Fate): FaultProxy['decide'] => {
  let hasMet = false
  return (call) => {
    if (hasMet || !isMeant(call)) return {}
    hasMet = true
    return decide(call)
  }
}

/** @param engine the endpoint of a DynamoDB engine */
export const startFaultProxy = async (engine: string): Promise<FaultProxy> => {
  const server = createServer((message, response) => {
    // A caller that has given up is gone with its connection; there is nobody to respond to.
    pass(message, response).catch(() => response.destroy())
  })
  const port = await listen(server, 0)

  const pass = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(message)
    const call = describe(message, body)
    proxy.calls.push(call)
    const { fault, beforeCommit, afterCommit } = proxy.decide(call)
    if (fault !== undefined) proxy.happened.set(fault, (proxy.happened.get(fault) ?? 0) + 1)
    if (fault === 'request lost') {
      response.destroy()
      return
    }
    if (fault === 'throttled' || fault === 'internal error') {
      const { status, type } = refusals[fault]
      response.writeHead(status, { 'Content-Type': contentType })
      response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'Injected.' }))
      return
    }
    await beforeCommit?.()
    const { status, bytes } = await send(engine, message, body)
    await afterCommit?.()
    if (fault === 'no response') return
    if (fault === 'response lost') {
      response.destroy()
      return
    }
    response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': bytes.length })
    if (fault === undefined) response.end(bytes)
    else response.write(bytes.subarray(0, bytes.length / 2), () => fault === 'half a response' && response.destroy())
  }

  const proxy: FaultProxy = {
    decide: unharmed,
    happened: new Map(),
    calls: [],
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    open: async () => {
      await listen(server, port)
    },
  }
  return proxy
}

const describe = (message: IncomingMessage, body: Buffer): Call => {
  // A batch names its table otherwise; none of this service's has two.
  const input: { TableName?: string; IndexName?: string; RequestItems?: object } = JSON.parse(body.toString())
  const { TableName, IndexName, RequestItems = {} } = input
  return {
    index: IndexName,
    operation: String(message.headers['x-amz-target']).replace(/^.*\./, ''),
    table: TableName ?? Object.keys(RequestItems)[0] ?? '',
  }
}

/** As DynamoDB responds, "Error handling with DynamoDB" in its developer guide. */
const refusals = {
  throttled: { status: 400, type: 'ProvisionedThroughputExceededException' },
  'internal error': { status: 500, type: 'InternalServerError' },
}

const contentType = 'application/x-amz-json-1.0'

/** Without the headers that belong to the connection. */
const send = async (engine: string, message: IncomingMessage, body: Buffer) => {
  const { host: _host, 'content-length': _length, connection: _connection, ...headers } = message.headersDistinct
  const response = await fetch(engine, {
    method: 'POST',
    headers: Object.entries(headers).map(([name, values = []]): [string, string] => [name, values.join()]),
    body: Uint8Array.from(body),
  })
  return { status: response.status, bytes: await response.bytes() }
}
