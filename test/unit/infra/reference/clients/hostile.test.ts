/** The clients against servers whose responses never end, are not HTTP, or are no page of pets. */
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { drivers } from './drivers.ts'

/** A server that responds to a request with bytes of its own, which may never end. */
interface HostileServer {
  readonly behaviour: string
  /** @default http */
  readonly scheme?: 'http' | 'https'
  /** Bytes of the response, part by part. The connection ends after the last part. */
  readonly respond: () => Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Sends a text, and then a part again and again with pauses. */
const drip = (beginning: string, part: string) =>
  async function* () {
    yield beginning
    while (true) {
      await wait(20)
      yield part
    }
  }

/** Sends a text, and then parts as fast as they are read. */
const flood = (beginning: string, part: string) =>
  function* () {
    yield beginning
    const manyParts = part.repeat(Math.ceil(60_000 / part.length))
    while (true) yield manyParts
  }

/** Sends a text, and keeps the connection open. */
const stall = (beginning: string) =>
  async function* () {
    yield beginning
    await new Promise(() => {})
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
const digits = '9'.repeat(500_000)

/** Begins a TLS handshake by a record of 16 KB, and drips it. */
async function* dripHandshake() {
  yield Buffer.from([22, 3, 3, 64, 0])
  while (true) {
    await wait(20)
    yield Buffer.from([2])
  }
}

/** Servers that never complete a response. */
const endlessServers: readonly HostileServer[] = [
  { behaviour: 'sends nothing', respond: stall('') },
  { behaviour: 'drips headers', respond: drip(ok, 'X-A: a\r\n') },
  { behaviour: 'drips the body', respond: drip(`${createHead(1_000_000)}[`, ' ') },
  { behaviour: 'drips a TLS handshake', scheme: 'https', respond: dripHandshake },
  { behaviour: 'drips chunks', respond: drip(chunked, '1\r\n \r\n') },
]

/** Servers whose responses are no HTTP, are cut off, or never come to their body. */
const lyingServers: readonly HostileServer[] = [
  { behaviour: 'floods with 100 Continue', respond: flood('', 'HTTP/1.1 100 Continue\r\n\r\n') },
  { behaviour: 'floods with headers', respond: flood(ok, 'X-A: a\r\n') },
  { behaviour: 'floods with the size of a chunk', respond: flood(chunked, '0') },
  { behaviour: 'floods with trailers', respond: flood(`${chunked}2\r\n[]\r\n0\r\n`, 'X-A: a\r\n') },
  { behaviour: 'floods with one line', respond: flood('', 'a') },
  { behaviour: 'sends a body that is cut off', respond: send(`${createHead(100)}[]`) },
  { behaviour: 'sends a chunk that is cut off', respond: send(`${chunked}5\r\n[]`) },
  { behaviour: 'sends a chunk of a negative size', respond: send(`${chunked}-5\r\n[]\r\n0\r\n\r\n`) },
  { behaviour: 'sends no HTTP', respond: send('SSH-2.0-OpenSSH_9.2\r\n') },
  { behaviour: 'sends a status that is no number', respond: send('HTTP/1.1 OK 200\r\n\r\n[]') },
  { behaviour: 'switches protocols', respond: stall('HTTP/1.1 101 A\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n') },
]

/** Servers that respond with something else than a list of pets, or with too many bytes. */
const wrongServers: readonly HostileServer[] = [
  { behaviour: 'sends more than a megabyte', respond: send(createResponse(longList)) },
  { behaviour: 'sends more than a megabyte without its length', respond: send(`${ok}\r\n${longList}`) },
  {
    behaviour: 'sends more than a megabyte, compressed',
    respond: send(`${ok}Content-Encoding: gzip\r\nContent-Length: ${compressedList.length}\r\n\r\n`, compressedList),
  },
  { behaviour: 'sends deep arrays', respond: send(createResponse('['.repeat(200_000) + ']'.repeat(200_000))) },
  { behaviour: 'sends a number of many digits', respond: send(createResponse(`[${digits}]`)) },
  { behaviour: 'sends a string without an end', respond: send(createResponse(`["${quotes}`)) },
  { behaviour: 'sends bytes that are no text', respond: send(createHead(3), new Uint8Array([91, 255, 93])) },
]

/** A self-signed certificate and its key, which only tests use. */
const untrustedCertificate = `-----BEGIN CERTIFICATE-----
MIIBjzCCATagAwIBAgIUVEqQjYOdjjD6xdu9MvuGZhTTVtcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMzIyMzgzOFoYDzIxMjYxMDMw
MjIzODM4WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATLEExJskjeYwP4V5ELJbHoG4gMx6JonPRER5OJzbiIWFkWUtj5xmDS
sQXPnTU4sDXjzo9y5U6VLB5QBcDuXMP3o2QwYjAdBgNVHQ4EFgQUgHS5H39OUd69
M7KrHNf7c1sd+w0wHwYDVR0jBBgwFoAUgHS5H39OUd69M7KrHNf7c1sd+w0wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC
IE5YuYCb7TTRxjp3gNN1ywYv34ZzvzAJuSIcqPWXc12XAiB8I3AZPlExpKfjl0CG
XWSS/otESeOu+HDbjT2lsNt5jg==
-----END CERTIFICATE-----
`
const untrustedKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3uXu3oCxIu+NanB7
+kxlOThwhlDDHsyXL6D+Qz2QbquhRANCAATLEExJskjeYwP4V5ELJbHoG4gMx6Jo
nPRER5OJzbiIWFkWUtj5xmDSsQXPnTU4sDXjzo9y5U6VLB5QBcDuXMP3
-----END PRIVATE KEY-----
`

/** Starts a hostile server. */
const startHostileServer = async ({ scheme = 'http', respond }: HostileServer) => {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer(async (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.on('close', resolve))
    const isRequested = await Promise.race([
      once(socket, 'data').then(
        () => true,
        () => false,
      ),
      closed.then(() => false),
    ])
    if (!isRequested) return
    requests += 1

    for await (const part of respond()) {
      if (socket.destroyed) return
      const isBuffered = socket.write(part)
      if (!isBuffered) await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))])
    }
    socket.end()
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { baseUrl: `${scheme}://127.0.0.1:${await listen(server, 0)}/v1`, countRequests: () => requests }
}

const apiKey = 'pet_test_of_a_hostile_server'

/** Time limit of a client. Many requests end only with it. */
const timeoutSeconds = 0.2

// A client without limits would not end, and the time limit of the test would end it.
describe.each(drivers)('the $language client', ({ drive, stop }) => {
  afterAll(stop)

  it.each(endlessServers)('a request to a server that $behaviour times out', async (hostileServer) => {
    const { baseUrl } = await startHostileServer(hostileServer)

    const report = await drive({ options: { baseUrl, apiKey, attempts: 1, timeoutSeconds }, calls: [{ page: {} }] })

    expect(report.outcomes).toMatchObject([{ error: { code: 'timed_out', status: null } }])
  })

  it.each(lyingServers)('a request to a server that $behaviour fails', async (hostileServer) => {
    const { baseUrl } = await startHostileServer(hostileServer)

    const report = await drive({ options: { baseUrl, apiKey, attempts: 1, timeoutSeconds }, calls: [{ page: {} }] })

    expect(report.outcomes).toMatchObject([
      { error: { code: expect.stringMatching(/^(timed_out|connection_failed|unexpected_response)$/) } },
    ])
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
    const server = createHttpsServer({ key: untrustedKey, cert: untrustedCertificate }, onRequest)
    onTestFinished(() => {
      server.close()
    })
    const baseUrl = `https://127.0.0.1:${await listen(server, 0)}/v1`

    const report = await drive({ options: { baseUrl, apiKey }, calls: [{ page: {} }] })

    expect(report).toMatchObject({ outcomes: [{ error: { code: 'certificate_refused' } }], waits: [] })
    expect(onRequest).not.toHaveBeenCalled()
  })
})
