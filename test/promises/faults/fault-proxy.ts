import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../../../infra/local/gateway/server/listen.ts'

/** What can become of a call to DynamoDB. The first three happen before the engine gets it, the others after its commit. */
export type Fault =
  /** The item, or the table, takes no more. */
  | 'throttled'
  | 'internal error'
  | 'request lost'
  | 'answer lost'
  /** The connection ends in the middle of the answer. */
  | 'half an answer'
  /** The answer stops in its middle, and the connection stays. */
  | 'stalled answer'
  /** The answer never begins, and the connection stays. */
  | 'no answer'

/** One attempt of a call to DynamoDB. */
export interface Call {
  /** Such as `UpdateItem`. */
  readonly operation: string
  readonly table: string
  /** Whom the endpoint was given to. */
  readonly caller: string
}

/**
 * What becomes of a call. The engine gets it after `beforeCommit`, even if the caller has given up by then. `afterCommit`
 * runs when the engine has answered, and before the caller can know.
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
  /** The endpoint by which a caller is told from the others. */
  endpointFor(caller: string): string
  /** Refuses connections until `open`. */
  close(): Promise<void>
  open(): Promise<void>
}

export const unharmed = (): Fate => ({})

/** @param engine the endpoint of a DynamoDB engine */
export const startFaultProxy = async (engine: string): Promise<FaultProxy> => {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((message, response) => {
    // A caller that has given up is gone with its connection; there is nobody to answer.
    pass(message, response).catch(() => response.destroy())
  })
  const port = await listen(server, 0)

  const pass = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(message)
    const call = describe(message, body)
    proxy.calls.push(call)
    const { fault, beforeCommit, afterCommit } = proxy.decide(call)
    if (fault !== undefined) proxy.happened.set(fault, (proxy.happened.get(fault) ?? 0) + 1)
    if (isBeforeCommit(fault)) {
      refuse(response, fault)
      return
    }
    await beforeCommit?.()
    const answer = await send(engine, agent, message, body)
    await afterCommit?.()
    deliver(response, answer, fault)
  }

  const proxy: FaultProxy = {
    decide: unharmed,
    happened: new Map(),
    calls: [],
    endpointFor: (caller) => `http://127.0.0.1:${port}/${caller}`,
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
  const { TableName, RequestItems = {} }: { TableName?: string; RequestItems?: object } = JSON.parse(body.toString())
  return {
    operation: String(message.headers['x-amz-target']).replace(/^.*\./, ''),
    table: TableName ?? Object.keys(RequestItems)[0] ?? '',
    caller: message.url?.split('/')[1] ?? '',
  }
}

type EarlyFault = 'throttled' | 'internal error' | 'request lost'

const isBeforeCommit = (fault: Fault | undefined): fault is EarlyFault =>
  fault === 'throttled' || fault === 'internal error' || fault === 'request lost'

/** As DynamoDB answers, "Error handling with DynamoDB" in its developer guide. */
const refuse = (response: ServerResponse, fault: EarlyFault): void => {
  if (fault === 'request lost') {
    response.destroy()
    return
  }
  const isThrottled = fault === 'throttled'
  const type = isThrottled
    ? 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'
    : 'com.amazonaws.dynamodb.v20120810#InternalServerError'
  response.writeHead(isThrottled ? 400 : 500, { 'Content-Type': 'application/x-amz-json-1.0' })
  response.end(JSON.stringify({ __type: type, message: 'Injected.' }))
}

interface EngineAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

const send = async (engine: string, agent: Agent, message: IncomingMessage, body: Buffer): Promise<EngineAnswer> => {
  const { host: _proxy, ...headers } = message.headers
  const sent = request(engine, { agent, method: 'POST', headers: { ...headers, host: new URL(engine).host } })
  sent.end(body)
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  if (answer === undefined) throw new Error('A response comes with its event.')
  return { status: answer.statusCode ?? 500, headers: answer.headers, body: await buffer(answer) }
}

const deliver = (response: ServerResponse, { status, headers, body }: EngineAnswer, fault: Fault | undefined): void => {
  if (fault === 'no answer') return
  if (fault === 'answer lost') {
    response.destroy()
    return
  }
  response.writeHead(status, { ...headers, 'content-length': body.length })
  if (fault === undefined) {
    response.end(body)
    return
  }
  response.write(body.subarray(0, body.length / 2), () => {
    if (fault === 'half an answer') response.destroy()
  })
}
