import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitUntilReady } from '../../../../../infra/operations/keys/deployed/readiness.ts'

/** An API that responds with 401 and the code to the first requests, and then 200. */
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

  it('retries, and says what it waits for but not the key, until the key works', async () => {
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
    ['the API responds with something else', 'unauthorized', 'the response is 401 unauthorized'],
  ])('ends and says why where %s', async (_what, code, reason) => {
    const { baseUrl } = await serve(1_000, code)
    expect(await waitUntilReady({ baseUrl, apiKey: 'x', seconds: 1, report: () => {} })).toContain(reason)
  })

  it('ends and says why where nothing responds', async () => {
    const baseUrl = 'http://127.0.0.1:9/v1'
    expect(await waitUntilReady({ baseUrl, apiKey: 'x', seconds: 1, report: () => {} })).toMatch(/^no response came: ./)
  })
})
