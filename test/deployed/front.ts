import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface Front {
  /** Without a slash at its end. */
  readonly baseUrl: string
  close(): Promise<void>
}

/** The emulator starts a process for each invocation at once; on one machine more of them only wait for each other. */
const maxSockets = 8

/**
 * The address of one REST API of the emulator, which API Gateway would give it by a host name of its own. It forwards
 * each request to the address by which the emulator knows the API, in the form that makes it do what API Gateway does:
 *
 * - The emulator decodes a path before it routes; API Gateway leaves it as sent. So the path is encoded once more.
 * - The emulator takes the API key of the usage plan from the header x-api-key, although the REST API says
 *   `apiKeySource: AUTHORIZER`. So the hash of the caller's key, the `usageIdentifierKey`, is in that header.
 */
export const openFront = async (endpoint: string, restApiId: string): Promise<Front> => {
  const { hostname, port } = new URL(endpoint)
  const agent = new Agent({ keepAlive: true, maxSockets })

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const [, path = '', query = ''] = /^\/v1([^?]*)(.*)$/.exec(incoming.url ?? '') ?? []
    const headers = [...incoming.rawHeaders, 'X-Forwarded-Proto', 'http', ...gatewayKey(incoming)]
    const target = `/restapis/${restApiId}/v1/_user_request_${path.replaceAll('%', '%25')}${query}`
    const passed = request({ hostname, port, path: target, method: incoming.method, headers, agent }, (response) => {
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
