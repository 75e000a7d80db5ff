import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** What a function asked of DynamoDB. */
export interface Usage {
  /** The operations, such as `GetItem`, in the order in which they came. */
  readonly calls: readonly string[]
  readonly capacityUnits: number
}

/** Stands before an engine and asks it what each call consumes. */
export interface CallMeter extends AsyncDisposable {
  readonly endpoint: string
  /** What came since the last time. */
  take(): Usage
}

export const openCallMeter = async (engine: string): Promise<CallMeter> => {
  let calls: string[] = []
  let capacityUnits = 0
  const forward = async (request: IncomingMessage): Promise<{ status: number; body: string }> => {
    calls.push(String(request.headers['x-amz-target']).replace(/^.*\./, ''))
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = request.headers
    const response = await fetch(engine, {
      method: 'POST',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      // What the engine returns then, the function does not look at.
      body: (await text(request)).replace(/^\{/, '{"ReturnConsumedCapacity":"TOTAL",'),
    })
    const body = await response.text()
    capacityUnits += Number(/"CapacityUnits":([\d.]+)/.exec(body)?.[1] ?? 0)
    return { status: response.status, body }
  }
  const server = createServer(async (request, response) => {
    const { status, body } = await forward(request)
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    take: () => {
      const taken = { calls, capacityUnits }
      calls = []
      capacityUnits = 0
      return taken
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
