import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readBaseUrl, untilItResponds } from '../e2e/setup/deployed-api.ts'

it.each([
  ['https://pets.example.com/v1/', 'https://pets.example.com/v1'],
  ['http://127.0.0.1:3000/v1', 'http://127.0.0.1:3000/v1'],
  ['http://127.1:3000/v1', 'http://127.0.0.1:3000/v1'],
  ['http://localhost:3000/v1', 'http://localhost:3000/v1'],
  ['http://[::1]:3000/v1', 'http://[::1]:3000/v1'],
])('an API key is sent to %s', (text, url) => {
  expect(readBaseUrl(text)).toBe(url)
})

it.each([
  'http://pets.example.com/v1',
  'http://127.0.0.1.example.com/v1',
  'http://127.0.0.1@pets.example.com/v1',
  'http://10.0.0.1/v1',
  'file:///v1',
  'pets.example.com',
  '',
])('an API key is not sent to %j', (text) => {
  expect(() => readBaseUrl(text)).toThrow('must be a base URL')
})

/** An API that responds with these statuses, one after the other, and then with the last of them. */
const apiOf = async (...statuses: number[]): Promise<string> => {
  const server = createServer((_request, response) => {
    response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 500).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const silent = () => {
  const told = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => told.mockRestore())
  return told
}

it('the tests wait for a new environment, and say what it responds when that changes', async () => {
  const told = silent()
  await untilItResponds(await apiOf(403, 403, 503, 200), 'a key', { pause: async () => {} })
  expect(told.mock.calls.map(([line]) => String(line).slice(-4))).toEqual(['403.', '503.'])
})

it('the tests give up after ten minutes', async () => {
  silent()
  let now = 0
  const pause = async () => {
    now += 60_000
  }
  const waiting = untilItResponds(await apiOf(503), 'a key', { pause, now: () => now })
  await expect(waiting).rejects.toThrow(/^After ten minutes .* still responds 503\.$/)
})
