import { Agent, createServer, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { drain, listen } from '../../../infra/local/gateway/listen.ts'

export interface PassedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** @param name in lower case. @returns nothing where there is no such header */
export const headerOf = ({ headers }: PassedRequest, name: string): string =>
  headers.find((_header, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name) ?? ''

export interface EmulatorProxy extends AsyncDisposable {
  readonly endpoint: string
}

/** The emulator starts a process for each invocation at once; on one machine more of them only wait for each other. */
const maxSockets = 4

/** Passes requests on to the emulator, each as `change` gives it. */
export const startProxy = async (
  emulator: string,
  change: (request: PassedRequest) => PassedRequest | Promise<PassedRequest>,
): Promise<EmulatorProxy> => {
  const { hostname, port } = new URL(emulator)
  const agent = new Agent({ keepAlive: true, maxSockets })
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '/', rawHeaders } = incoming
    const { body, ...passed } = await change({ method, path: url, headers: rawHeaders, body: await buffer(incoming) })
    request({ hostname, port, agent, ...passed }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(outgoing)
    })
      .once('error', () => outgoing.destroy())
      .end(body)
  })
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`
  const close = async (): Promise<void> => {
    await drain(server)
    agent.destroy()
  }
  return { endpoint, [Symbol.asyncDispose]: close }
}
