import type { Clock } from '../../shared/clock.ts'
import { createGatewayServer, type Served } from './gateway/server.ts'
import { drain, listen } from './listen.ts'

/** The port of an environment. It is there before anything that could answer, and outlives every change of it. */
export interface Front {
  readonly port: number
  /** Has this answer from now on; requests that came before there was anything wait for the first. */
  serve(next: Served): void
  /** Answers the requests under way and accepts no more. */
  close(): Promise<void>
}

interface FrontOptions {
  readonly port: number
  readonly clock: Clock
  readonly writeLine: (line: string) => void
}

/** @throws UserError when the port cannot be had. */
export const openFront = async ({ port, clock, writeLine }: FrontOptions): Promise<Front> => {
  const first = Promise.withResolvers<Served>()
  let served = first.promise
  const server = createGatewayServer({
    served: () => served,
    clock,
    reportFault: (error) => writeLine(`[gateway] ${describeFault(error)}`),
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

/** For whoever runs the environment; a caller never sees it. */
export const describeFault = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
