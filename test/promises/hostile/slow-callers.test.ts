import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway.ts'
import { collect, readAnswers } from './raw-connection.ts'

const timeouts = { headers: 400, request: 600, silence: 900, check: 50 }

let gateway: Gateway
let sockets: Socket[]
beforeEach(async () => {
  gateway = await startGateway(timeouts)
  sockets = []
})
afterEach(async () => {
  expect(gateway.faults).toEqual([])
  for (const socket of sockets) socket.destroy()
  await gateway.stop()
})

const open = async (): Promise<Socket> => {
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
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

const expectWell = async (): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/at-once`)
  expect([response.status, await response.text()]).toEqual([200, '[]'])
}

const post = 'POST /v1/at-once HTTP/1.1\r\nHost: a\r\n'

describe('A caller that sends without coming to an end', () => {
  test.each([
    ['the request line', '', `GET /v1/${endless}`],
    ['its headers', 'GET /v1/at-once HTTP/1.1\r\nHost: a\r\n', `X: ${endless}`],
    ['its body', `${post}Content-Length: 1000\r\n\r\n`, endless],
    ['its chunks', `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(200)],
  ])('is told that it took too long, and the connection ends: %s', async (_what, atOnce, bitByBit) => {
    const started = Date.now()
    const socket = await open()
    const received = collect(socket)
    socket.write(atOnce)
    await Promise.all([once(socket, 'close'), drip(socket, bitByBit)])
    expect(Date.now() - started).toBeGreaterThanOrEqual(timeouts.headers)
    const responses = readAnswers(received.text())
    expect(responses.map(({ status, body }) => [status, JSON.parse(body)])).toEqual([
      [400, { code: 'bad_request', message: expect.stringContaining('took too long'), status: 400 }],
    ])
    expect(gateway.invoked).toEqual([])
    await expectWell()
  })

  test('has nothing done for it, even if the rest comes right after', async () => {
    const socket = await open()
    socket.write(`${post}Content-Length: 4\r\n\r\nbod`)
    socket.once('data', () => socket.write('y'))
    await once(socket.resume(), 'close')
    expect(gateway.invoked).toEqual([])
  })

  test('loses the response before, if that still takes its time, but no other caller loses any', async () => {
    const socket = await open()
    const received = collect(socket)
    socket.write('GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/at-once HTTP/1.1\r\n')
    await once(socket, 'close')
    gateway.letGo()
    expect([received.text(), gateway.invoked]).toEqual(['', ['/slow']])
    await expectWell()
  })
})

describe('A caller that says nothing', () => {
  test('is let go, be it before its first request or after', async () => {
    const silent = await open()
    const satisfied = await open()
    satisfied.write('GET /v1/at-once HTTP/1.1\r\nHost: a\r\n\r\n')
    await Promise.all([once(silent.resume(), 'close'), once(satisfied.resume(), 'close')])
    await expect.poll(gateway.connections).toBe(0)
  })

  test('keeps nobody else out, five hundred of them', async () => {
    await Promise.all(Array.from({ length: 500 }, open))
    await expectWell()
  })

  test('reads nothing of a long response, and is let go', async () => {
    const socket = (await open()).pause()
    for (let times = 0; times < 4; times += 1) socket.write('GET /v1/long HTTP/1.1\r\nHost: a\r\n\r\n')
    while (gateway.invoked.length === 0) await sleep(10)
    await expect.poll(gateway.connections).toBe(0)
    await expectWell()
  })
})

describe('A caller that goes away', () => {
  test.each([
    ['at once', ''],
    ['in its headers', 'GET /v1/at-once HTTP/1.1\r\nHos'],
    ['in its body', 'POST /v1/at-once HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf'],
    ['before its response', 'GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['in its response', 'GET /v1/long HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['with what is no HTTP', 'garbage\r\n\r\ngarbage'],
  ])('leaves no connection and no handle behind: %s', async (_when, bytes) => {
    const handles = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
    const before = handles()
    for (let times = 0; times < 20; times += 1) {
      const socket = (await open()).pause()
      if (bytes !== '') await new Promise((resolve) => socket.write(bytes, resolve))
      // Some close in order, others break off.
      if (times % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    gateway.letGo()
    await expect.poll(gateway.connections).toBe(0)
    expect(handles()).toBeLessThanOrEqual(before)
    await expectWell()
  })
})
