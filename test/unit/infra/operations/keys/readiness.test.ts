import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitUntilReady } from '../../../../../infra/operations/keys/deployed/readiness.ts'

/** An API that answers 401 with the code to the first requests, and then 200. */
const serve = async (refusals: number, code = 'api_key_not_ready') => {
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization)
    const isReady = keys.length > refusals
    response.writeHead(isReady ? 200 : 401).end(isReady ? '[]' : JSON.stringify({ code, message: '', status: 401 }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return { baseUrl: `http://127.0.0.1:${address.port}/v1`, keys }
}

const lines = () => {
  const reported: string[] = []
  return { reported, report: (line: string) => void reported.push(line) }
}

describe('waiting for a new key', () => {
  it('ends at once, and says nothing, where the key works', async () => {
    const { baseUrl, keys } = await serve(0)
    const { reported, report } = lines()
    expect(await waitUntilReady({ baseUrl, apiKey: 'pet_test_x', report })).toBeUndefined()
    expect({ reported, keys }).toEqual({ reported: [], keys: ['Bearer pet_test_x'] })
  })

  it('tries again, and says what it waits for but not the key, until the key works', async () => {
    const { baseUrl, keys } = await serve(2)
    const { reported, report } = lines()
    expect(await waitUntilReady({ baseUrl, apiKey: 'pet_test_x', report })).toBeUndefined()
    expect(keys).toHaveLength(3)
    expect(reported).toEqual([
      `Waiting until the key works at ${baseUrl} (0 s of at most 300 s): API Gateway does not know it at the edge yet.`,
    ])
  })

  it.each([
    ['the edge does not know the key in time', 'api_key_not_ready', 'does not know it at the edge yet'],
    ['the API answers something else', 'unauthorized', 'it is answered 401 unauthorized'],
  ])('ends and tells why where %s', async (_what, code, reason) => {
    const { baseUrl } = await serve(1_000, code)
    expect(await waitUntilReady({ baseUrl, apiKey: 'x', seconds: 1, report: () => {} })).toContain(reason)
  })

  it('ends and tells why where nothing answers', async () => {
    const baseUrl = 'http://127.0.0.1:9/v1'
    expect(await waitUntilReady({ baseUrl, apiKey: 'x', seconds: 1, report: () => {} })).toMatch(/^no answer came: ./)
  })
})
