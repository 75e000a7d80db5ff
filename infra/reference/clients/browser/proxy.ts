/* Run it: `API_KEY=... node proxy.ts`, with Node.js 22.18 or later. Your page then lists pets without an API key. */
import { createServer } from 'node:http'

const { API = 'http://127.0.0.1:3000/v1', API_KEY, PORT = '8080' } = process.env
const passed = ['Content-Type', 'Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
const headers = { Authorization: `Bearer ${API_KEY}` }

const respond = async (method: string | undefined, url: string): Promise<Response> => {
  const [path, query = ''] = url.split('?')
  if (method !== 'GET' || path !== '/v1/pets') return new Response('', { status: 404 })
  return fetch(`${API}/pets?${query}`, { headers }).catch(() => new Response('', { status: 502 }))
}

createServer(async ({ method, url = '' }, response) => {
  const received = await respond(method, url)
  for (const name of passed) response.setHeader(name, received.headers.get(name) ?? [])
  // The next page is read through this proxy, too.
  response.setHeader('Link', received.headers.get('Link')?.replace(API, '/v1') ?? [])
  response.writeHead(received.status).end(await received.text())
}).listen(Number(PORT), 'localhost')
