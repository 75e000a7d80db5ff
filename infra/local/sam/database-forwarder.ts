import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { BlockList } from 'node:net'
import { listen } from '../gateway/server/listen.ts'
import type { ContainerNetwork } from './container-engine.ts'

export interface DatabaseForwarder {
  /** Of the database, as a container reaches it. */
  readonly endpoint: string
  close(): Promise<void>
}

/**
 * Makes the local database reachable from the containers of one network, and from nowhere else. It listens on this
 * machine's address in that network, which routers and other programs may also reach, so it accepts only connections
 * from containers. Like the database, it refuses what a web page sends: other hosts than its own, and any `Origin`.
 *
 * Docker Desktop and Finch run the engine in a virtual machine. There the gateway is no address of this machine, and
 * containers reach what listens on 127.0.0.1 as `host.docker.internal`.
 */
export const forwardDatabase = async (
  databaseEndpoint: string,
  { subnet, gateway }: Pick<ContainerNetwork, 'subnet' | 'gateway'>,
): Promise<DatabaseForwarder> => {
  const database = new URL(databaseEndpoint)
  const agent = new Agent({ keepAlive: true })
  const containers = new BlockList()
  const [address = '', prefixLength] = subnet.split('/')
  containers.addSubnet(address, Number(prefixLength))
  const reached = { host: '', isContainer: (_peer: string): boolean => false }

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method, url, headers } = incoming
    if (headers.host !== reached.host || headers.origin !== undefined) {
      outgoing.writeHead(403).end()
      return
    }
    const options = { method, path: url, headers: { ...headers, host: database.host }, agent }
    const forwarded = request(database, options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.once('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  }

  const server = createServer(forward).on('connection', (socket) => {
    if (!reached.isContainer(socket.remoteAddress ?? '')) socket.destroy()
  })
  try {
    const port = await listen(server, 0, gateway)
    reached.host = `${gateway}:${port}`
    reached.isContainer = (peer) => peer !== gateway && containers.check(peer)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL')) throw error
    const port = await listen(server, 0)
    reached.host = `host.docker.internal:${port}`
    reached.isContainer = () => true
  }
  return {
    endpoint: `http://${reached.host}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}
