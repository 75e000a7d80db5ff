import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface Front {
  /** Without a slash at its end. */
  readonly baseUrl: string
  close(): Promise<void>
}

/**
 * The address of one REST API of the emulator, which API Gateway would give it by a host name of its own.
 * It passes every request on as it is, to the address by which the emulator knows the API, and adds what
 * the emulator asks for instead of what the authorizer tells it (see the known differences): the API key
 * of the usage plan, which is the hash of the caller's key.
 */
export const openFront = async (endpoint: string, restApiId: string): Promise<Front> => {
  const { hostname, port } = new URL(endpoint)
  const agent = new Agent({ keepAlive: true })

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // Everything of this host stands below the stage, `v1`.
    const path = `/restapis/${restApiId}/v1/_user_request_${(incoming.url ?? '').replace(/^\/v1/, '')}`
    const headers = [...incoming.rawHeaders, 'X-Forwarded-Proto', 'http', ...gatewayKey(incoming)]
    const passed = request({ hostname, port, path, method: incoming.method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(outgoing)
    })
    passed.once('error', () => outgoing.destroy())
    incoming.pipe(passed)
  }

  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

const gatewayKey = ({ headers }: IncomingMessage): string[] => {
  const apiKey = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return apiKey === undefined ? [] : ['x-api-key', createHash('sha256').update(apiKey).digest('hex')]
}
