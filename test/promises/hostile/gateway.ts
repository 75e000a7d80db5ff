import type { Server } from 'node:http'
import { promisify } from 'node:util'
import { createUsage } from '../../../infra/local/gateway/meter.ts'
import { drain, listen } from '../../../infra/local/gateway/server/listen.ts'
import { type ConnectionTimeouts, createGatewayServer } from '../../../infra/local/gateway/server/server.ts'
import type { FunctionInvoker } from '../../../infra/local/lambda/function-host.ts'
import { method, resource, restApi, result } from '../../unit/infra/local/fixtures.ts'

export interface Gateway {
  readonly port: number
  /** The paths that functions were asked for, in their order. */
  readonly invoked: readonly string[]
  /** What went wrong in the gateway itself. */
  readonly faults: readonly unknown[]
  /** Lets the function of `/v1/slow` respond. */
  letGo(): void
  connections(): Promise<number>
  stop(): Promise<void>
}

/**
 * The gateway's server before functions that respond to `/v1/at-once`, `/v1/slow` when a test says so, and
 * `/v1/long` with 5 MB.
 */
export const startGateway = async (timeouts?: ConnectionTimeouts): Promise<Gateway> => {
  const invoked: string[] = []
  const faults: unknown[] = []
  const slow = Promise.withResolvers<void>()
  const functions: FunctionInvoker = {
    invoke: async (name, event) => {
      invoked.push(JSON.parse(event).path)
      if (name === 'slow') await slow.promise
      return result({ statusCode: 200, body: name === 'long' ? 'x'.repeat(5_000_000) : '[]' })
    },
    report: () => {},
  }
  const api = restApi({
    resources: ['at-once', 'slow', 'long'].map((name) => resource(`/${name}`, { ANY: method(name) })),
  })
  const usageMeter = { edgeKeys: { get: async () => undefined }, usage: createUsage(Date.now) }
  const server = createGatewayServer({
    served: async () => ({ api, functions, usageMeter }),
    clock: Date.now,
    reportFault: (error) => faults.push(error),
    ...(timeouts === undefined ? {} : { timeouts }),
  })
  return {
    port: await listen(server, 0),
    invoked,
    faults,
    letGo: () => slow.resolve(),
    connections: () => connectionsOf(server),
    stop: () => drain(server),
  }
}

const connectionsOf = (server: Server): Promise<number> => promisify(server.getConnections.bind(server))()
