import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../../../../infra/local/gateway/listen.ts'
import { transpileClient } from '../../../../../../infra/reference/client-packages.ts'
import {
  PetAdoptionClient,
  type PetAdoptionClientOptions,
} from '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { oldestNode, runProgram } from '../../../../../fixtures/machine/programs.ts'

const options: PetAdoptionClientOptions = { baseUrl: 'http://127.0.0.1/v1', apiKey: 'a-key' }

/** Starts a server that never responds. @returns its base URL */
const startSilentServer = async (): Promise<string> => {
  const server = createServer(() => {})
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await listen(server, 0)}/v1`
}

it('a client refuses an API key that is undefined', () => {
  // A program in JavaScript passes it if a variable of the environment is not set.
  const undefinedKey = { apiKey: undefined } as unknown as { apiKey: string }

  expect(() => new PetAdoptionClient({ ...options, ...undefinedKey })).toThrow('apiKey is empty')
})

it('an attempt may take 30 seconds by default, and its response comes from no cache', async () => {
  const startTimeout = vi.spyOn(AbortSignal, 'timeout')
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('[]'))

  await new PetAdoptionClient(options).page()

  expect(startTimeout).toHaveBeenCalledExactlyOnceWith(30_000)
  expect(fetchPage.mock.lastCall?.[1]?.cache).toBe('no-store')
})

// `setTimeout` ends at once if its delay is more than 2^31 - 1 milliseconds, which are 24.8 days.
it('an endless interval between two polls lasts', async () => {
  vi.useFakeTimers()
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('[]'))
  const following = new PetAdoptionClient(options).followPets({ intervalSeconds: Number.POSITIVE_INFINITY })

  following.next()
  await vi.advanceTimersByTimeAsync(24 * 86_400_000)

  expect(fetchPage).toHaveBeenCalledTimes(1)
})

it('a categoryId that JavaScript may have rounded is not sent', async () => {
  const client = new PetAdoptionClient(options)

  await expect(client.createPet({ name: 'Bella', categoryId: 2 ** 53 })).rejects.toThrow('categoryId must be a bigint')
})

it('a request ends with the reason of its signal', async () => {
  const controller = new AbortController()
  const client = new PetAdoptionClient({ ...options, baseUrl: await startSilentServer() })
  const page = client.page({}, { signal: controller.signal })

  controller.abort('the end')

  await expect(page).rejects.toBe('the end')
})

// Node.js warns of more than ten listeners of one signal, and keeps a signal that has one.
it('a wait between two attempts ends with the reason of its signal, and adds no listener to the signal', async () => {
  vi.useFakeTimers()
  const response = new Response('', { status: 503, headers: { 'Retry-After': '100' } })
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(response)
  const controller = new AbortController()
  const page = new PetAdoptionClient(options).page({}, { signal: controller.signal })
  const rejection = expect(page).rejects.toBe('the end')
  await vi.advanceTimersByTimeAsync(50_000)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])

  controller.abort('the end')

  await rejection
  expect(vi.getTimerCount()).toBe(0)
})

it('the error of a host with two addresses says the reason of each', async () => {
  const reasons = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:80`))
  const error = new TypeError('fetch failed', { cause: new AggregateError(reasons) })
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(error)
  const client = new PetAdoptionClient({ ...options, attempts: 1 })

  await expect(client.page()).rejects.toMatchObject({
    code: 'connection_failed',
    message: 'No complete response came: Error: connect ECONNREFUSED ::1:80, Error: connect ECONNREFUSED 127.0.0.1:80',
    cause: error,
  })
})

// Next.js throws such an error when a page that it builds in advance calls `fetch` without a cache, and catches it again.
it('an error of a framework is thrown unchanged, without another attempt', async () => {
  const error = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' })
  const fetchPage = vi.spyOn(globalThis, 'fetch').mockRejectedValue(error)

  await expect(new PetAdoptionClient(options).page()).rejects.toBe(error)

  expect(fetchPage).toHaveBeenCalledTimes(1)
})

/** The client as a module that a program of its own imports. */
const clientUrl = `data:text/javascript;base64,${Buffer.from(transpileClient()).toString('base64')}`

// Some programs give bigints a `toJSON`, because JSON.stringify throws for a bigint without one.
it('a categoryId stays an integer in a program that writes each bigint as a string', async () => {
  const program = `
    import { PetAdoptionClient } from '${clientUrl}'
    BigInt.prototype.toJSON = function () { return this.toString() }
    globalThis.fetch = async (_url, { body }) => {
      console.log(body)
      return new Response('{"id":1}')
    }
    const client = new PetAdoptionClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'a-key' })
    await client.createPet({ name: 'Bella', categoryId: 2n ** 60n })`

  const output = await runProgram(oldestNode, ['--input-type=module', '--eval', program])

  expect(output).toBe('{"name":"Bella","categoryId":1152921504606846976}\n')
})

// Node.js may lose a signal that only AbortSignal.any refers to (nodejs/node issue 57736).
it('an attempt times out while garbage is collected', async () => {
  const program = `
    import { PetAdoptionClient } from '${clientUrl}'
    const collecting = setInterval(gc, 5)
    const { signal } = new AbortController()
    const client = new PetAdoptionClient({
      baseUrl: '${await startSilentServer()}',
      apiKey: 'a',
      attempts: 1,
      timeoutSeconds: 0.2,
    })
    await client.page({}, { signal }).catch(({ code }) => console.log(code))
    clearInterval(collecting)`

  const output = await runProgram(oldestNode, ['--expose-gc', '--input-type=module', '--eval', program])

  expect(output).toBe('timed_out\n')
})
