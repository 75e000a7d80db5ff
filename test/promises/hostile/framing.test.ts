import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from './connection.ts'
import { type Gateway, startGateway } from './gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())
afterEach(() => expect(gateway.faults).toEqual([]))

const head = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} /v1/${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n')

const request = (headers: readonly string[], body: string): string => head('POST', 'at-once', ...headers) + body

/** What a smuggler hopes is taken for a request of its own. */
const smuggled = head('DELETE', 'slow')

const chunked = 'Transfer-Encoding: chunked'

/** Chunks that are at their end, and what comes then. */
const endOfChunks = `0\r\n\r\n${smuggled}`

describe('A request whose end two servers could see in two places', () => {
  test.each([
    ['a length and chunks', request(['Content-Length: 5', chunked], endOfChunks)],
    ['two lengths', request(['Content-Length: 0', 'Content-Length: 90'], smuggled)],
    ['chunks by another name', request(['Transfer-Encoding: xchunked'], endOfChunks)],
    ['chunks twice', request([chunked, chunked], endOfChunks)],
    ['chunks within chunks', request([`${chunked}, chunked`], endOfChunks)],
    ['chunks of a compressed body', request(['Transfer-Encoding: gzip, chunked'], endOfChunks)],
    [
      'chunks by HTTP/1.0',
      `POST /v1/at-once HTTP/1.0\r\nConnection: keep-alive\r\n${chunked}\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    ['a folded header', request(['X-Folded: 1', ' Content-Length: 90'], smuggled)],
    ['bare line feeds', head('POST', 'at-once').replaceAll('\r\n', '\n') + smuggled],
    ['a NUL in a header', request(['X: \0'], smuggled)],
    ['two hosts', request(['Host: b'], smuggled)],
  ])('is refused once, and the connection ends: %s', async (_what, bytes) => {
    const before = gateway.invoked.length
    const responses = await sendRaw(gateway.port, bytes)
    expect(responses.map(({ status }) => status)).toEqual([400])
    expect(JSON.parse(responses[0]?.text ?? '')).toMatchObject({ code: 'bad_request', status: 400 })
    expect(gateway.invoked).toHaveLength(before)
  })

  test.each([
    ['no number', 'g\r\nhello\r\n0\r\n\r\n'],
    ['an extension without end', `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`],
    ['a length among its trailers', '5\r\nhello\r\n0\r\nContent-Length: 90\r\n\r\n'],
  ])('is refused once where the size of a chunk is %s', async (_what, chunks) => {
    const before = gateway.invoked.length
    const responses = await sendRaw(gateway.port, head('POST', 'at-once', chunked), chunks, smuggled)
    expect(responses.map(({ status }) => status)).toEqual([400])
    expect(gateway.invoked).toHaveLength(before)
  })

  test('is one request where it only looks like two', async () => {
    const before = gateway.invoked.length
    const body = smuggled
    const responses = await sendRaw(
      gateway.port,
      head('POST', 'at-once', 'Connection: close', `Content-Length: ${body.length}`) + body,
    )
    expect(responses.map(({ status }) => status)).toEqual([200])
    expect(gateway.invoked.slice(before)).toEqual(['/at-once'])
  })
})

describe('Requests that follow each other without waiting', () => {
  test('get their responses in their order, however long each takes', async () => {
    const before = gateway.invoked.length
    const paths = ['long', 'at-once', 'nothing', 'at-once']
    const all = paths.map((path) => head('GET', path)).join('') + head('GET', 'long', 'Connection: close')
    const responses = await sendRaw(gateway.port, all)
    expect(responses.map(({ status, text }) => [status, text.length > 1_000_000])).toEqual([
      [200, true],
      [200, false],
      [403, false],
      [200, false],
      [200, true],
    ])
    expect(gateway.invoked.slice(before).toSorted()).toEqual(['/at-once', '/at-once', '/long', '/long'])
  })

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a broken body', `${head('POST', 'at-once', chunked)}g\r\n`],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an expectation that nobody meets', head('GET', 'at-once', 'Expect: a miracle')],
  ])('get their own responses where the last is %s', async (_what, last) => {
    const own = await startGateway()
    const received = sendRaw(own.port, head('GET', 'at-once') + head('GET', 'slow') + last)
    while (own.invoked.length < 2) await new Promise(setImmediate)
    own.letGo()
    expect((await received).map(({ status }) => status)).toEqual([200, 200, 400])
    expect(own.invoked).toEqual(['/at-once', '/slow'])
    await own.stop()
  })
})

describe('What is too large', () => {
  test('in the head gets 400, although more of it was under way', async () => {
    const responses = await sendRaw(gateway.port, head('GET', 'at-once', `X: ${'x'.repeat(3_000_000)}`))
    expect(responses.map(({ status, text }) => [status, JSON.parse(text).code])).toEqual([[400, 'bad_request']])
    expect(responses[0]?.text).toContain('Send at most 10 KB.')
  })

  test('in the body is more than 10 MB, even in chunks, which have no length', async () => {
    const megabyte = `100000\r\n${'x'.repeat(1_048_576)}\r\n`
    const responses = await sendRaw(
      gateway.port,
      head('POST', 'at-once', chunked, 'Connection: close'),
      ...Array.from({ length: 11 }, () => megabyte),
      '0\r\n\r\n',
    )
    expect(responses.map(({ status }) => status)).toEqual([413])
  })
})
