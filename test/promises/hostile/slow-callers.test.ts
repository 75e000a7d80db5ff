import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { closed, collect, readResponses } from './connection.ts'
import { startGateway } from './gateway.ts'

const timeouts = { headers: 400, request: 600, silence: 900, check: 50 }

/** A gateway for one test, and the connections that the test opens. */
const startTried = async () => {
  const gateway = await startGateway(timeouts)
  const sockets: Socket[] = []
  return {
    ...gateway,
    open: async (): Promise<Socket> => {
      const socket = connect(gateway.port, '127.0.0.1').on('error', () => {})
      sockets.push(socket)
      await once(socket, 'connect')
      return socket
    },
    isWell: async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${gateway.port}/v1/at-once`)).status === 200,
    hasNoConnection: async (): Promise<void> => {
      while ((await gateway.connections()) > 0) await sleep(10)
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy()
      await gateway.stop()
      expect(gateway.faults).toEqual([])
    },
  }
}

/** Writes a character at a time until the other side ends the connection. */
const drip = async (socket: Socket, text: string): Promise<void> => {
  for (const character of text) {
    if (socket.closed || socket.readableEnded) return
    socket.write(character)
    await sleep(20)
  }
}

const endless = 'x'.repeat(1_000)

const post = 'POST /v1/at-once HTTP/1.1\r\nHost: a\r\n'

describe.concurrent('A caller whose request does not end', () => {
  test.each([
    ['the request line', '', `GET /v1/${endless}`],
    ['its headers', 'GET /v1/at-once HTTP/1.1\r\nHost: a\r\n', `X: ${endless}`],
    ['its body', `${post}Content-Length: 1000\r\n\r\n`, endless],
    ['its chunks', `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(200)],
  ])('gets 400, which says that it took too long, and the connection ends: %s', async (_what, atOnce, bitByBit) => {
    await using tried = await startTried()
    const started = Date.now()
    const socket = await tried.open()
    const received = collect(socket)
    socket.write(atOnce)
    await Promise.all([closed(socket), drip(socket, bitByBit)])
    expect(Date.now() - started).toBeGreaterThanOrEqual(timeouts.headers)
    const responses = readResponses(received())
    expect(responses.map(({ status, text }) => [status, JSON.parse(text)])).toEqual([
      [400, { code: 'bad_request', message: expect.stringContaining('took too long'), status: 400 }],
    ])
    expect(tried.invoked).toEqual([])
    expect(await tried.isWell()).toBe(true)
  })

  test('starts no function, even if the rest of the request arrives directly after', async () => {
    await using tried = await startTried()
    const socket = await tried.open()
    socket.write(`${post}Content-Length: 4\r\n\r\nbod`)
    socket.once('data', () => socket.write('y'))
    await closed(socket.resume())
    expect(tried.invoked).toEqual([])
  })

  test('loses an earlier response that is not ready; other callers lose none', async () => {
    await using tried = await startTried()
    const socket = await tried.open()
    const received = collect(socket)
    socket.write('GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/at-once HTTP/1.1\r\n')
    await closed(socket)
    tried.letGo()
    expect([String(received()), tried.invoked]).toEqual(['', ['/slow']])
    expect(await tried.isWell()).toBe(true)
  })
})

describe.concurrent('A silent caller', () => {
  test('is disconnected, before its first request and after it', async () => {
    await using tried = await startTried()
    const silent = await tried.open()
    const satisfied = await tried.open()
    satisfied.write('GET /v1/at-once HTTP/1.1\r\nHost: a\r\n\r\n')
    await Promise.all([closed(silent.resume()), closed(satisfied.resume())])
    await tried.hasNoConnection()
  })

  test('does not keep others out: five hundred of them', async () => {
    await using tried = await startTried()
    await Promise.all(Array.from({ length: 500 }, tried.open))
    expect(await tried.isWell()).toBe(true)
  })

  test('that reads nothing of a long response is disconnected', async () => {
    await using tried = await startTried()
    const socket = (await tried.open()).pause()
    for (let times = 0; times < 4; times += 1) socket.write('GET /v1/long HTTP/1.1\r\nHost: a\r\n\r\n')
    while (tried.invoked.length === 0) await sleep(10)
    await tried.hasNoConnection()
    expect(await tried.isWell()).toBe(true)
  })
})

describe('A caller that disconnects', () => {
  test.each([
    ['at once', ''],
    ['in its headers', 'GET /v1/at-once HTTP/1.1\r\nHos'],
    ['in its body', 'POST /v1/at-once HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf'],
    ['before its response', 'GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['in its response', 'GET /v1/long HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['with what is no HTTP', 'garbage\r\n\r\ngarbage'],
  ])('leaves no connection and no handle behind: %s', async (_when, bytes) => {
    await using tried = await startTried()
    const handles = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
    const before = handles()
    for (let times = 0; times < 20; times += 1) {
      const socket = (await tried.open()).pause()
      if (bytes !== '') await new Promise((resolve) => socket.write(bytes, resolve))
      // Some close in order, others break off.
      if (times % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    tried.letGo()
    await tried.hasNoConnection()
    expect(handles()).toBeLessThanOrEqual(before)
    expect(await tried.isWell()).toBe(true)
  })
})
