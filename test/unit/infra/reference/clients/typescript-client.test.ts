import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  createPetAdoptionClient,
  dataOf,
  type PetAdoptionClientOptions,
  PetAdoptionError,
  pets,
} from '../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { localApi } from '../../local/local-api.ts'
import { pageWithLink, refusal, silence, stalledBody } from './cases/case.ts'
import { type Fate, relay } from './relay.ts'

const api = localApi()

/** A client that notes the milliseconds of its waits, and does not wait. */
const clientOf = (options: Partial<PetAdoptionClientOptions> = {}) => {
  const waits: number[] = []
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds)
  }
  const { baseUrl, apiKey } = api()
  return { client: createPetAdoptionClient({ baseUrl, apiKey, sleep, ...options }), waits }
}

/** What V8 does when memory gets short. */
const collectGarbage = async (): Promise<void> => {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  for (let turn = 0; turn < 3; turn += 1) {
    await setTimeout(50)
    gc()
  }
}

const serverOf = (fate: Fate) => relay(api().baseUrl, () => fate)

describe('the TypeScript client', () => {
  it.each([
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [3n, 3],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
  ])('takes %s and gives %s: a bigint only where numbers are not exact', async (categoryId, read) => {
    const { client } = clientOf()
    const created = await dataOf(client.POST('/pets', { body: { name: 'Exactly', categoryId } }))
    expect(created.categoryId).toBe(read)
    expect(await dataOf(client.GET('/pets/{petId}', { params: { path: { petId: created.id } } }))).toEqual(created)
  })

  it('makes no bigint of more digits than an int64 has, which would take seconds for millions of them', async () => {
    const { baseUrl } = await serverOf({ status: 200, body: `[{"categoryId":1${'0'.repeat(19)}}]` })
    expect((await clientOf({ baseUrl }).client.GET('/pets')).data).toEqual([{ categoryId: 1e19 }])
  })

  it('gives the error of the API, or throws it', async () => {
    const one = clientOf().client.GET('/pets/{petId}', { params: { path: { petId: 9_223_372_036_854_775_807n } } })
    const { data, error } = await one
    expect(data).toBeUndefined()
    expect(error).toEqual({ code: 'pet_not_found', message: expect.any(String), status: 404 })
    await expect(dataOf(one)).rejects.toThrow(PetAdoptionError)
    await expect(dataOf(one)).rejects.toMatchObject({ ...error, name: 'PetAdoptionError' })
  })

  it('refuses another origin for any operation, also one that the caller names', async () => {
    const other = await serverOf('pass')
    const { client } = clientOf()
    const refused = 'It is not sent to'
    await expect(client.GET('/pets', { baseUrl: other.baseUrl })).rejects.toThrow(refused)
    client.use({ onRequest: ({ request }) => new Request(request.url.replace(api().baseUrl, other.baseUrl), request) })
    const body = { name: 'Bella', categoryId: 1 }
    await expect(client.POST('/pets', { body })).rejects.toThrow(refused)
    await expect(client.GET('/pets/{petId}', { params: { path: { petId: 1 } } })).rejects.toThrow(refused)
    expect(other.seen).toEqual([])
  })

  it('follows no redirect, also when the caller asks for it', async () => {
    const { baseUrl, seen } = await serverOf({ status: 307, headers: { Location: `${api().baseUrl}/pets` } })
    expect((await clientOf({ baseUrl }).client.GET('/pets', { redirect: 'follow' })).response.status).toBe(307)
    expect(seen).toHaveLength(1)
  })

  it('does not begin a wait that is too long for a timer, which would fire at once', async () => {
    const { baseUrl, seen } = await serverOf(refusal(503, 'service_unavailable', '3000000'))
    const { client, waits } = clientOf({ baseUrl, longestWaitSeconds: Number.POSITIVE_INFINITY })
    expect((await client.GET('/pets')).response.status).toBe(503)
    expect(seen).toHaveLength(1)
    expect(waits).toEqual([])
  })

  it('keeps its time-out when garbage is collected', async () => {
    const { baseUrl, seen } = await serverOf(silence)
    const { client } = clientOf({ baseUrl, attempts: 1, timeoutSeconds: 1 })
    const request = client.GET('/pets')
    const ended = expect(request).rejects.toMatchObject({ name: 'TimeoutError', message: 'No response within 1 s.' })
    await expect.poll(() => seen.length).toBe(1)
    await collectGarbage()
    await ended
  })

  it('has no time-out when it is infinite', async () => {
    const { client, waits } = clientOf({ timeoutSeconds: Number.POSITIVE_INFINITY })
    expect((await client.GET('/pets')).data).toBeDefined()
    expect(waits).toEqual([])
  })
})

describe('the signal of the caller', () => {
  const left = new Error('The user has left.')

  it('ends a wait', async () => {
    const { baseUrl, seen } = await serverOf(refusal(503, 'service_unavailable', '60'))
    const { apiKey } = api()
    const abort = new AbortController()
    const listing = Array.fromAsync(pets(createPetAdoptionClient({ baseUrl, apiKey }), {}, { signal: abort.signal }))
    await expect.poll(() => seen.length).toBe(1)
    await setTimeout(50)
    abort.abort(left)
    await expect(listing).rejects.toBe(left)
    expect(seen).toHaveLength(1)
  })

  it.each([
    ['a silent server', silence],
    ['a stalled body', stalledBody],
  ])('ends a request to %s, which is not retried', async (_title, fate: Fate) => {
    const abort = new AbortController()
    const { baseUrl, seen } = await serverOf(() => {
      globalThis.setTimeout(() => abort.abort(left), 50)
      return fate
    })
    const { client, waits } = clientOf({ baseUrl })
    await expect(client.GET('/pets', { signal: abort.signal })).rejects.toBe(left)
    expect(seen).toHaveLength(1)
    expect(waits).toEqual([])
  })

  it('is not taken for a time-out when it is one of the caller', async () => {
    const signal = AbortSignal.timeout(500)
    const { baseUrl } = await serverOf(stalledBody)
    const { client, waits } = clientOf({ baseUrl })
    const thrown = await client.GET('/pets', { signal }).catch((error: unknown) => error)
    expect(thrown).toBe(signal.reason)
    expect(signal.aborted).toBe(true)
    expect(waits).toEqual([])
  })

  it('ends a request to any page, also when garbage was collected meanwhile', async () => {
    const page = pageWithLink('</v1/pets?cursor=a>; rel="next"')
    const { baseUrl, seen } = await relay(api().baseUrl, (nth) => (nth === 1 ? page : silence))
    const { client } = clientOf({ baseUrl })
    const abort = new AbortController()
    const listing = Array.fromAsync(pets(client, {}, { signal: abort.signal }))
    await expect.poll(() => seen.length).toBe(2)
    await collectGarbage()
    abort.abort(left)
    await expect(listing).rejects.toBe(left)
  })

  it('sends nothing when it was aborted before', async () => {
    const { baseUrl, seen } = await serverOf('pass')
    const { client, waits } = clientOf({ baseUrl })
    await expect(client.GET('/pets', { signal: AbortSignal.abort(left) })).rejects.toBe(left)
    expect(seen).toEqual([])
    expect(waits).toEqual([])
  })
})
