import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface Front {
  /** Without a slash at its end. */
  readonly baseUrl: string
  close(): Promise<void>
}

/** The emulator starts a process for each invocation at once; on one machine more of them only wait for each other. */
const maxSockets = 4

/**
 * The address of one REST API of the emulator, which API Gateway would give it by a host name of its own. It forwards
 * each request to the address by which the emulator knows the API, in the form that makes it do what API Gateway does:
 *
 * - The emulator decodes a path before it routes; API Gateway leaves it as sent. So the path is encoded once more.
 * - The emulator takes the API key of the usage plan from the header x-api-key, although the REST API says
 *   `apiKeySource: AUTHORIZER`. So the `usageIdentifierKey` is in that header.
 *
 * @param usageIdentifierKey what the authorizer answers for an API key
 */
export const openFront = async (
  endpoint: string,
  restApiId: string,
  usageIdentifierKey: (apiKey: string) => Promise<string>,
): Promise<Front> => {
  const { hostname, port } = new URL(endpoint)
  const agent = new Agent({ keepAlive: true, maxSockets })

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const apiKey = /^bearer +(\S+)$/i.exec(incoming.headers.authorization ?? '')?.[1]
    const gatewayKey = apiKey === undefined ? [] : ['x-api-key', await usageIdentifierKey(apiKey)]
    const [, path = '', query = ''] = /^\/v1([^?]*)(.*)$/.exec(incoming.url ?? '') ?? []
    const headers = [...incoming.rawHeaders, 'X-Forwarded-Proto', 'http', ...gatewayKey]
    const target = `/restapis/${restApiId}/v1/_user_request_${path.replaceAll('%', '%25')}${query}`
    const passed = request({ hostname, port, path: target, method: incoming.method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(outgoing)
    })
    passed.once('error', () => outgoing.destroy())
    incoming.pipe(passed)
  }

  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing)).listen(0, '127.0.0.1')
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
