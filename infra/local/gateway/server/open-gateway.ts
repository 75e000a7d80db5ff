import { inspect } from 'node:util'
import type { Clock } from '../../../../shared/clock.ts'
import type { Served } from '../gateway.ts'
import { drain, listen } from './listen.ts'
import { createGatewayServer } from './server.ts'

/** The gateway on its port. It is open before there is anything to serve, and stays when that changes. */
export interface OpenGateway {
  readonly port: number
  /** Serves this from now on. Requests that came before the first call wait for it. */
  serve(next: Served): void
  /** Accepts no more requests, and responds to those under way. */
  close(): Promise<void>
}

interface GatewayOptions {
  readonly port: number
  readonly clock: Clock
  readonly writeLine: (line: string) => void
}

/** @throws UserError when the port is not available. */
export const openGateway = async ({ port, clock, writeLine }: GatewayOptions): Promise<OpenGateway> => {
  const first = Promise.withResolvers<Served>()
  let served = first.promise
  const server = createGatewayServer({
    served: () => served,
    clock,
    reportFault: (error) => writeLine(`[gateway] ${inspect(error)}`),
  })
  return {
    port: await listen(server, port),
    serve: (next) => {
      first.resolve(next)
      served = Promise.resolve(next)
    },
    close: () => drain(server),
  }
}
