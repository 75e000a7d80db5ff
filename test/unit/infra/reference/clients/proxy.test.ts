import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import {
  createPetAdoptionClient,
  dataOf,
  pets,
} from '../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { localApi } from '../../local/local-api.ts'
import { node } from './programs.ts'
import { portOf } from './relay.ts'

const api = localApi()
const file = fileURLToPath(new URL('../../../../../infra/reference/clients/browser/proxy.ts', import.meta.url))

it('the proxy lists pets, page by page and without an API key, and does nothing else', async () => {
  const reserved = createServer()
  const port = await portOf(reserved)
  reserved.close()
  const { baseUrl, apiKey } = api()
  const proxy = spawn(node, [file], { env: { API: baseUrl, API_KEY: apiKey, PORT: String(port) }, stdio: 'ignore' })
  onTestFinished(() => {
    proxy.kill()
  })
  const origin = `http://localhost:${port}`
  const client = createPetAdoptionClient({ baseUrl: `${origin}/v1`, apiKey: '' })
  await expect
    .poll(() =>
      fetch(origin).then(
        (response) => response.status,
        () => undefined,
      ),
    )
    .toBe(404)

  const listed = await Array.fromAsync(pets(client, { limit: 4 }))

  expect(listed).toEqual(await Array.fromAsync(pets(createPetAdoptionClient({ baseUrl, apiKey }))))
  expect(listed.length).toBeGreaterThan(8)
  await expect(dataOf(client.POST('/pets', { body: { name: 'Bella', categoryId: 1 } }))).rejects.toThrow('404')
  expect((await client.GET('/pets/{petId}', { params: { path: { petId: 1 } } })).response.status).toBe(404)
  const { response } = await client.GET('/pets', { params: { query: { limit: 101 } } })
  expect([response.status, response.headers.has('X-RateLimit-Remaining')]).toEqual([400, true])
})
