import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../../../../infra/local/gateway/listen.ts'
import {
  PetAdoptionClient,
  type PetAdoptionClientOptions,
} from '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { transpileClient } from '../../../../../../infra/reference/packages/npm-package.ts'
import { nodeForPackages, runProgram } from '../../../../../fixtures/machine/programs.ts'
import { startRefusingProxy } from '../../../../../fixtures/reference/client-servers.ts'

/** Path of the client for a second import of it, which TypeScript would otherwise take for the first one. */
const clientModule: string = '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'

const options: PetAdoptionClientOptions = { baseUrl: 'http://127.0.0.1/v1', apiKey: 'a-key' }

it('a client refuses an API key that is undefined', () => {
  // A program in JavaScript passes it if a variable of the environment is not set.
  const undefinedKey = { apiKey: undefined } as unknown as { apiKey: string }

  expect(() => new PetAdoptionClient({ ...options, ...undefinedKey })).toThrow('apiKey is empty')
})

// `setTimeout` ends at once if its delay is more than 2^31 - 1 milliseconds.
it('an endless interval does not end', async () => {
  vi.useFakeTimers()
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('[]'))
  const following = new PetAdoptionClient(options).followPets({ intervalSeconds: Number.POSITIVE_INFINITY })

  following.next()
  await vi.advanceTimersByTimeAsync(24 * 86_400_000)

  expect(fetchPage).toHaveBeenCalledTimes(1)
})

it('a category that is rounded already is not sent', async () => {
  const client = new PetAdoptionClient(options)

  await expect(client.createPet({ name: 'Bella', categoryId: 2 ** 53 })).rejects.toThrow('categoryId must be a bigint')
})

// Node.js keeps the signal of a request for long after it, and with the signal all that it refers to.
it('nothing refers to a response once its request has ended', async () => {
  vi.useFakeTimers()
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('[]'))
  const { signal } = new AbortController()

  await new PetAdoptionClient(options).page({}, { signal })

  expect(fetchPage.mock.lastCall?.[1]?.signal?.onabort).toBeNull()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it('a request ends at once with the reason of its signal', async () => {
  vi.useFakeTimers()
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => {}))
  const controller = new AbortController()
  const end = vi.fn()
  new PetAdoptionClient(options).page({}, { signal: controller.signal }).catch(end)

  controller.abort('the end')
  await vi.advanceTimersByTimeAsync(0)

  expect(end).toHaveBeenCalledExactlyOnceWith('the end')
  expect(fetchPage.mock.lastCall?.[1]?.signal?.aborted).toBe(true)
})

it('a wait between two attempts ends with the reason of its signal', async () => {
  vi.useFakeTimers()
  const response = new Response('', { status: 503, headers: { 'Retry-After': '100' } })
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(response)
  const controller = new AbortController()
  const page = new PetAdoptionClient(options).page({}, { signal: controller.signal })
  const rejection = expect(page).rejects.toBe('the end')
  await vi.advanceTimersByTimeAsync(50_000)

  controller.abort('the end')

  await rejection
  expect(vi.getTimerCount()).toBe(0)
})

it('no cache answers a request', async () => {
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('[]'))

  await new PetAdoptionClient(options).page()

  expect(fetchPage.mock.lastCall?.[1]?.cache).toBe('no-store')
})

// A platform such as Cloudflare Workers has a `fetch` that throws if it gets the option.
it('a platform without the option cache gets none', async () => {
  vi.stubGlobal('Request', class {})
  vi.resetModules()
  const { PetAdoptionClient: ClientOfPlatform } = await import(clientModule)
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('[]'))

  await new ClientOfPlatform(options).page()

  expect(fetchPage.mock.lastCall?.[1]).not.toHaveProperty('cache')
})

// jsdom has no Request, Firefox 114 no URL.canParse, and a page that is not served by HTTPS no crypto.randomUUID.
it('the client needs no Request, URL.canParse and crypto.randomUUID', async () => {
  vi.stubGlobal('Request', undefined)
  vi.spyOn(URL, 'canParse').mockImplementation(() => expect.unreachable())
  vi.spyOn(crypto, 'randomUUID').mockImplementation(() => expect.unreachable())
  vi.resetModules()
  const { PetAdoptionClient: ClientOfBrowser } = await import(clientModule)
  const client: PetAdoptionClient = new ClientOfBrowser(options)
  const headers = { Link: '</v1/pets?cursor=a>; rel="next"' }
  const fetchPets = vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response('[]', { headers }))
  fetchPets.mockResolvedValueOnce(new Response('{"id":1}', { status: 201 }))

  expect(await client.page()).toEqual({ pets: [], nextCursor: 'a' })
  expect(await client.createPet({ name: 'Bella', categoryId: 1 })).toEqual({ id: 1 })
})

it('an error that is none of the connection is thrown unchanged, without another attempt', async () => {
  vi.stubGlobal('TextDecoder', undefined)
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('[]'))

  await expect(new PetAdoptionClient(options).page()).rejects.toThrow('TextDecoder is not a constructor')

  expect(fetchPage).toHaveBeenCalledTimes(1)
})

// Next.js throws such an error when a page that it builds in advance calls `fetch` without a cache, and must get it.
it('an error of a framework is thrown unchanged, without another attempt', async () => {
  const error = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' })
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockRejectedValue(error)

  await expect(new PetAdoptionClient(options).page()).rejects.toBe(error)

  expect(fetchPage).toHaveBeenCalledTimes(1)
})

/** The client as a module that a program of its own imports. */
const clientUrl = `data:text/javascript;base64,${Buffer.from(transpileClient()).toString('base64')}`

// Programs define `toJSON` to write a bigint with JSON.stringify, which else throws.
it('a category stays an integer in a program that writes each bigint as a string', async () => {
  const program = `
    import { PetAdoptionClient } from '${clientUrl}'
    BigInt.prototype.toJSON = function () { return this.toString() }
    globalThis.fetch = async (_url, { body }) => {
      console.log(body)
      return new Response('{"id":1}')
    }
    const client = new PetAdoptionClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'a-key' })
    await client.createPet({ name: 'Bella', categoryId: 2n ** 60n })`

  const output = await runProgram(nodeForPackages, ['--input-type=module', '--eval', program])

  expect(output).toBe('{"name":"Bella","categoryId":1152921504606846976}\n')
})

// Node.js may lose the signal of a request to garbage collection.
it('an attempt times out while garbage is collected', async () => {
  const silentServer = createServer(() => {})
  onTestFinished(() => {
    silentServer.closeAllConnections()
    silentServer.close()
  })
  const port = await listen(silentServer, 0)
  const program = `
    import { PetAdoptionClient } from '${clientUrl}'
    const collecting = setInterval(gc, 5)
    const client = new PetAdoptionClient({ baseUrl: 'http://127.0.0.1:${port}/v1', apiKey: 'a', attempts: 1, timeoutSeconds: 0.2 })
    await client.page().catch(({ code }) => console.log(code))
    clearInterval(collecting)`

  const output = await runProgram(nodeForPackages, ['--expose-gc', '--input-type=module', '--eval', program])

  expect(output).toBe('timed_out\n')
})

it('a request that the proxy of Node.js refuses is sent once', async () => {
  const proxy = await startRefusingProxy()
  const program = `
    import { PetAdoptionClient } from '${clientUrl}'
    const client = new PetAdoptionClient({ baseUrl: 'https://api.invalid/v1', apiKey: 'a' })
    await client.page().catch(({ code, status }) => console.log(code, status))`
  const variables = {
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: proxy.url,
    https_proxy: proxy.url,
    NO_PROXY: '',
    no_proxy: '',
  }

  const output = await runProgram(process.execPath, ['--input-type=module', '--eval', program], '.', variables)

  expect(output).toBe('unexpected_response 407\n')
  expect(proxy.countRequests()).toBe(1)
})
