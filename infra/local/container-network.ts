/** Makes the local database reachable from containers. */
import { execFile } from 'node:child_process'
import { createServer, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { platform } from 'node:process'
import { promisify } from 'node:util'
import { listen } from './gateway/listen.ts'

/** Name of this machine in containers. */
export const containerHostName = 'host.docker.internal'

/**
 * Starts a forwarder: an HTTP server that containers reach, and that sends their requests on to the database. The
 * database itself listens on 127.0.0.1. It accepts only requests whose header `Host` names this machine, so the
 * forwarder sets that header.
 *
 * @returns the endpoint of the database for a container
 */
export const forwardDatabase = async (databaseEndpoint: string): Promise<string> => {
  const { host, protocol } = new URL(databaseEndpoint)
  const request = protocol === 'https:' ? requestByHttps : requestByHttp
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming
    const forwarded = request(databaseEndpoint, { method, headers: { ...headers, host } }, (response) => {
      // Node's type allows no status, because requests have none. A response always has one.
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.once('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  const port = await listen(server.unref(), 0, await findListeningAddress())
  return `http://${containerHostName}:${port}`
}

/**
 * Finds the address of this machine that containers reach. On Linux this is its address in Docker's network.
 * Elsewhere, and with Finch, containers run in a virtual machine that reaches 127.0.0.1.
 */
const findListeningAddress = async (): Promise<string> => {
  const loopback = '127.0.0.1'
  if (platform !== 'linux') return loopback

  // Ask Docker, because the operating system lists the network only while a container runs.
  const inspection = promisify(execFile)('docker', ['network', 'inspect', 'bridge'])
  const inspected = await inspection.catch(() => undefined)
  // Without Docker there is no such network.
  if (inspected === undefined) return loopback
  return readBridgeAddress(inspected.stdout) ?? loopback
}

/** The part of the output of `docker network inspect` that is read here. */
interface InspectedNetwork {
  /** Missing from the output of other engines. */
  readonly IPAM?: {
    readonly Config: readonly { readonly Subnet?: string; readonly Gateway?: string }[] | null
  }
}

/**
 * Reads the address of this machine in a network of Docker: the gateway of the network. Docker 20.10 creates the
 * network on its first start and names no gateway until its next start. Until then the gateway is the first address of
 * the subnet.
 *
 * @param inspected output of `docker network inspect`
 * @returns undefined if Docker has no such network
 */
export const readBridgeAddress = (inspected: string): string | undefined => {
  const networks: readonly InspectedNetwork[] = JSON.parse(inspected)
  const configurations = networks.flatMap(({ IPAM }) => IPAM?.Config ?? [])
  const ipv4Configuration = configurations.find(({ Subnet }) => Subnet?.includes('.'))
  return ipv4Configuration?.Gateway || findFirstAddress(ipv4Configuration?.Subnet)
}

/** Finds the first address of a subnet: 172.17.0.1 for 172.17.0.0/16. */
const findFirstAddress = (subnet: string | undefined): string | undefined =>
  subnet?.replace(/\.(\d+)\/\d+$/, (_, lastByte: string) => `.${Number(lastByte) + 1}`)
