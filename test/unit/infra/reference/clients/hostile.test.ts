/** The clients against servers whose responses never end, are not HTTP, or are no page of pets. */
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { drivers } from '../../../../fixtures/reference/client-drivers.ts'
import { certificate, certificateKey } from '../../../../fixtures/reference/client-servers.ts'

/** A server that responds to a request with bytes of its own, which may never end. */
interface HostileServer {
  readonly behaviour: string
  /** @default http */
  readonly scheme?: 'http' | 'https'
  /** Bytes of the response, part by part. The connection ends after the last part. */
  readonly respond: () => Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Sends a beginning, and then a part again and again with pauses. */
const drip = (beginning: string | Uint8Array, part: string | Uint8Array) =>
  async function* () {
    yield beginning
    while (true) {
      await wait(20)
      yield part
    }
  }

/** Sends a beginning, and then parts as fast as they are read. */
const flood = (beginning: string, part: string) =>
  function* () {
    yield beginning
    const manyParts = part.repeat(Math.ceil(60_000 / part.length))
    while (true) yield manyParts
  }

const send = (...parts: readonly (string | Uint8Array)[]) => {
  return () => parts
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const createHead = (length: number) => `${ok}Content-Length: ${length}\r\n\r\n`
const createResponse = (body: string) => createHead(Buffer.byteLength(body)) + body

/** A list without a pet, with more bytes than a client takes. */
const longList = `[${' '.repeat(2 ** 20)}]`
const compressedList = gzipSync(longList)
/** Many escaped quotes. A string that consists of them has no end. */
const quotes = String.raw`\"`.repeat(200_000)

/** The beginning of a TLS handshake: the head of a record of 16 KB. */
const handshake = Buffer.from([22, 3, 3, 64, 0])

/** Servers that never complete a response. */
const endlessServers: readonly HostileServer[] = [
  { behaviour: 'drips headers', respond: drip(ok, 'X-A: a\r\n') },
  { behaviour: 'drips the body', respond: drip(`${createHead(1_000_000)}[`, ' ') },
  { behaviour: 'drips a TLS handshake', scheme: 'https', respond: drip(handshake, Buffer.from([2])) },
]

/** Servers that Node.js refuses at once, but to which Python's library would listen for ever. */
const endlessServersForPython: readonly HostileServer[] = [
  { behaviour: 'floods with 100 Continue', respond: flood('', 'HTTP/1.1 100 Continue\r\n\r\n') },
  { behaviour: 'floods with trailers', respond: flood(`${chunked}2\r\n[]\r\n0\r\n`, 'X-A: a\r\n') },
]

/** Servers whose responses are cut off, or no HTTP. */
const brokenServers: readonly HostileServer[] = [
  { behaviour: 'floods with headers', respond: flood(ok, 'X-A: a\r\n') },
  { behaviour: 'floods with one line', respond: flood('', 'a') },
  { behaviour: 'sends a body that is cut off', respond: send(`${createHead(100)}[]`) },
  { behaviour: 'sends a chunk that is cut off', respond: send(`${chunked}5\r\n[]`) },
  { behaviour: 'sends no HTTP', respond: send('SSH-2.0-OpenSSH_9.2\r\n') },
]

/** Servers that respond with something else than a list of pets, or with too many bytes. */
const wrongServers: readonly HostileServer[] = [
  { behaviour: 'sends more than a megabyte', respond: send(createResponse(longList)) },
  {
    behaviour: 'sends more than a megabyte, compressed',
    respond: send(`${ok}Content-Encoding: gzip\r\nContent-Length: ${compressedList.length}\r\n\r\n`, compressedList),
  },
  { behaviour: 'sends deep arrays', respond: send(createResponse('['.repeat(200_000) + ']'.repeat(200_000))) },
  { behaviour: 'sends a number of many digits', respond: send(createResponse(`[${'9'.repeat(500_000)}]`)) },
  { behaviour: 'sends a string without an end', respond: send(createResponse(`["${quotes}`)) },
  { behaviour: 'sends bytes that are no text', respond: send(createHead(3), new Uint8Array([91, 255, 93])) },
]

/** Starts a server that responds to the first bytes of each connection. */
const startHostileServer = async ({ scheme = 'http', respond }: HostileServer) => {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', async () => {
      requests += 1
      await pipeline(Readable.from(respond()), socket).catch(() => {})
    })
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { baseUrl: `${scheme}://127.0.0.1:${await listen(server, 0)}/v1`, countRequests: () => requests }
}

const apiKey = 'pet_test_of_a_hostile_server'

// A client without limits would not end, and the time limit of the test would end it.
describe.each(drivers)('the $language client', ({ language, drive, stop }) => {
  afterAll(stop)

  const endless = language === 'Python' ? endlessServers.concat(endlessServersForPython) : endlessServers

  it.each(endless)('a request to a server that $behaviour times out', async (hostileServer) => {
    const { baseUrl } = await startHostileServer(hostileServer)
    const options = { baseUrl, apiKey, attempts: 1, timeoutSeconds: 0.2 }

    const report = await drive({ options, calls: [{ page: {} }] })

    expect(report.outcomes).toMatchObject([{ error: { code: 'timed_out', status: null } }])
  })

  it.each(brokenServers)('the connection to a server that $behaviour has failed', async (hostileServer) => {
    const { baseUrl } = await startHostileServer(hostileServer)

    const report = await drive({ options: { baseUrl, apiKey, attempts: 1 }, calls: [{ page: {} }] })

    expect(report.outcomes).toMatchObject([{ error: { code: 'connection_failed', status: null } }])
  })

  it.each(wrongServers)(
    'the response of a server that $behaviour is unexpected, and not retried',
    async (hostileServer) => {
      const { baseUrl, countRequests } = await startHostileServer(hostileServer)

      const report = await drive({ options: { baseUrl, apiKey }, calls: [{ page: {} }] })

      expect(report.outcomes).toMatchObject([{ error: { code: 'unexpected_response' } }])
      expect(countRequests()).toBe(1)
    },
  )

  it('a server whose certificate is not trusted gets no request', async () => {
    const onRequest = vi.fn()
    const server = createHttpsServer({ key: certificateKey, cert: certificate }, onRequest)
    onTestFinished(() => {
      server.close()
    })
    const baseUrl = `https://127.0.0.1:${await listen(server, 0)}/v1`

    const report = await drive({ options: { baseUrl, apiKey }, calls: [{ page: {} }] })

    expect(report).toMatchObject({ outcomes: [{ error: { code: 'certificate_refused' } }], waits: [] })
    expect(onRequest).not.toHaveBeenCalled()
  })
})
