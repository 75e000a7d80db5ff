import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  createPetAdoptionClient,
  dataOf,
  type Pet,
  type PetAdoptionClientOptions,
  PetAdoptionError,
  pets,
} from '../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { roomInMinute } from '../e2e/room-in-minute.ts'
import { localApi } from './local-api.ts'
import { type Fate, relay } from './relay.ts'

const api = localApi()

const clientOf = (options: Partial<PetAdoptionClientOptions> = {}) => {
  const { baseUrl, apiKey } = api()
  return createPetAdoptionClient({ baseUrl, apiKey, ...options })
}

/** A client that notes how many milliseconds it would wait, instead of waiting. */
const patient = (options: Partial<PetAdoptionClientOptions> = {}) => {
  const waits: number[] = []
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds)
  }
  return { client: clientOf({ sleep, ...options }), waits }
}

const collect = async (all: AsyncIterable<Pet>): Promise<Pet[]> => {
  const collected: Pet[] = []
  for await (const pet of all) collected.push(pet)
  return collected
}

const unavailable = { code: 'service_unavailable', message: 'Try again in a moment.', status: 503 }

describe('the TypeScript client', () => {
  it('lists what the query asks for', async () => {
    const { data } = await clientOf().GET('/pets', { params: { query: { limit: 2, status: 'pending' } } })
    expect(data?.map(({ status }) => status)).toEqual(['pending', 'pending'])
  })

  it('gives every pet once, page by page, while pets are added', async () => {
    const client = clientOf()
    const before = await collect(pets(client))
    expect(before.length).toBeGreaterThan(8)
    const seen: Pet[] = []
    for await (const pet of pets(client, { limit: 4 })) {
      if (seen.length % 4 === 0) await client.POST('/pets', { body: { name: 'Added meanwhile', categoryId: 1 } })
      seen.push(pet)
    }
    expect(seen).toEqual(before)
  })

  it('gives only the pets that are asked for, on every page', async () => {
    const client = clientOf()
    const sold = await collect(pets(client, { status: 'sold', limit: 1 }))
    const all = await collect(pets(client))
    expect(sold).toEqual(all.filter(({ status }) => status === 'sold'))
    expect(sold.length).toBeGreaterThan(1)
  })

  it.each([
    [1, 1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [3n, 3],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
    [9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
    [-9_223_372_036_854_775_808n, -9_223_372_036_854_775_808n],
  ])('sends the category %s and reads it back as %s', async (categoryId, read) => {
    const client = clientOf()
    const created = await dataOf(client.POST('/pets', { body: { name: 'Exactly', categoryId, status: 'sold' } }))
    expect(created).toEqual({ id: expect.any(Number), name: 'Exactly', categoryId: read, status: 'sold' })
    expect(await dataOf(client.GET('/pets/{petId}', { params: { path: { petId: created.id } } }))).toEqual(created)
    const [newest] = await dataOf(client.GET('/pets', { params: { query: { limit: 1 } } }))
    expect(newest).toEqual(created)
  })

  it('gives the error that the API answered, or throws it', async () => {
    const refused = clientOf().GET('/pets', { params: { query: { limit: 101 } } })
    const { data, error } = await refused
    expect(data).toBeUndefined()
    expect(error).toEqual({ code: 'invalid_parameter', message: expect.stringContaining('limit'), status: 400 })
    await expect(dataOf(refused)).rejects.toThrow(PetAdoptionError)
    await expect(dataOf(refused)).rejects.toMatchObject({ ...error })
  })

  it.each([
    [404, 'pet_not_found', {}],
    [401, 'unauthorized', { apiKey: 'none' }],
  ])('throws a %i with its code %s, and sends it once', async (status, code, options) => {
    const { client, waits } = patient({ longestWaitSeconds: Number.POSITIVE_INFINITY, ...options })
    const one = dataOf(client.GET('/pets/{petId}', { params: { path: { petId: 9_223_372_036_854_775_807n } } }))
    await expect(one).rejects.toMatchObject({ name: 'PetAdoptionError', status, code })
    expect(waits).toEqual([])
  })

  it('says so when something else answered in place of the API', async () => {
    const { baseUrl } = await relay(api().baseUrl, () => ({ status: 502, body: 'a proxy' }))
    await expect(collect(pets(clientOf({ baseUrl })))).rejects.toMatchObject({ status: 502, code: undefined })
  })
})

describe('retries of the TypeScript client', () => {
  it('wait out a limit that is used up, never less than Retry-After says', async () => {
    await roomInMinute(20)
    const { baseUrl, keys } = api()
    const { apiKey, record } = await keys.issue({ owner: 'a shelter', plan: 'free', allowance: fixedPlans.free })
    const headers = { Authorization: `Bearer ${apiKey}` }
    await Promise.all(Array.from({ length: 60 }, () => fetch(`${baseUrl}/pets?limit=1`, { headers })))
    const between = await relay(baseUrl, async (nth): Promise<Fate> => {
      // The wait is not made, so that the second request needs a plan that has room at once.
      if (nth === 2) await keys.move(record.keyId, 'pro', fixedPlans.pro)
      return 'pass'
    })
    const { client, waits } = patient({ apiKey, baseUrl: between.baseUrl })
    const { data } = await client.GET('/pets', { params: { query: { limit: 1 } } })
    expect(data).toHaveLength(1)
    expect(between.answered.map(({ statusCode }) => statusCode)).toEqual([429, 200])
    const retryAfter = Number(between.answered[0]?.headers['retry-after']) * 1_000
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThan(retryAfter)
    expect(waits[0]).toBeLessThanOrEqual(retryAfter + 500)
  })

  it('add a pet once whose answer got lost, under one key', async () => {
    const { baseUrl, seen } = await relay(api().baseUrl, (nth) => (nth < 3 ? 'lose the answer' : 'pass'))
    const { client, waits } = patient({ baseUrl })
    const { data, response } = await client.POST('/pets', { body: { name: 'Only once', categoryId: 2 } })
    expect(response.headers.get('Idempotency-Replayed')).toBe('true')
    expect(seen).toHaveLength(3)
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(waits).toHaveLength(2)
    const all = await collect(pets(clientOf()))
    expect(all.filter(({ name }) => name === 'Only once')).toEqual([data])
  })

  it('send two creations under two keys, and the one that the caller gives', async () => {
    const { baseUrl, seen } = await relay(api().baseUrl, () => 'pass')
    const client = clientOf({ baseUrl })
    const body = { name: 'Twice', categoryId: 3 }
    const one = await dataOf(client.POST('/pets', { body }))
    const other = await dataOf(client.POST('/pets', { body }))
    expect(other.id).not.toBe(one.id)
    const given = { body, params: { header: { 'Idempotency-Key': 'given by a test' } } }
    const first = await dataOf(client.POST('/pets', given))
    expect(await dataOf(client.POST('/pets', given))).toEqual(first)
    expect(seen.map(({ headers }) => headers['idempotency-key']).slice(2)).toEqual(Array(2).fill('given by a test'))
  })

  it.each([
    [503, 'service_unavailable'],
    [409, 'idempotency_key_in_use'],
  ])('send a creation again after a %i that says when', async (status, code) => {
    const refusal = { status, headers: { 'Retry-After': '3' }, body: { code, message: 'Later.', status } }
    const { baseUrl } = await relay(api().baseUrl, (nth) => (nth === 1 ? refusal : 'pass'))
    const { client, waits } = patient({ baseUrl, random: () => 0.5 })
    await dataOf(client.POST('/pets', { body: { name: 'Again', categoryId: 4 } }))
    expect(waits).toEqual([3_375])
  })

  it('spread, and double what they add to Retry-After, up to the last attempt, whose answer is given', async () => {
    const refusal = { status: 503, headers: { 'Retry-After': '1' }, body: unavailable }
    const { baseUrl, seen } = await relay(api().baseUrl, () => refusal)
    const { client, waits } = patient({ baseUrl, attempts: 4, random: () => 0 })
    const { error } = await client.GET('/pets')
    expect(error).toEqual(unavailable)
    expect(seen).toHaveLength(4)
    expect(waits).toEqual([1_500, 2_000, 3_000])
  })

  it('throw what kept the answer away, after the last attempt', async () => {
    const { baseUrl, seen } = await relay(api().baseUrl, () => 'lose the answer')
    const { client, waits } = patient({ baseUrl, attempts: 2 })
    await expect(client.GET('/pets')).rejects.toThrow('fetch failed')
    expect(seen).toHaveLength(2)
    expect(waits).toHaveLength(1)
  })

  it('do not begin a wait that is too long', async () => {
    const { keys } = api()
    const allowance = { perMinute: 100, perDay: 1 }
    const { apiKey } = await keys.issue({ owner: 'a small shelter', plan: 'enterprise', allowance })
    const { client, waits } = patient({ apiKey, longestWaitSeconds: 0 })
    expect((await client.GET('/pets')).response.status).toBe(200)
    expect((await client.GET('/pets')).error).toMatchObject({ code: 'rate_limit_exceeded', status: 429 })
    expect(waits).toEqual([])
  })

  it('count the waits of a request together', async () => {
    const refusal = { status: 503, headers: { 'Retry-After': '10' }, body: unavailable }
    const { baseUrl } = await relay(api().baseUrl, () => refusal)
    const { client, waits } = patient({ baseUrl, longestWaitSeconds: 25 })
    expect((await client.GET('/pets')).error).toEqual(unavailable)
    expect(waits).toHaveLength(2)
  })

  it('end when the caller aborts, in the middle of a wait', async () => {
    const refusal = { status: 503, headers: { 'Retry-After': '60' }, body: unavailable }
    const { baseUrl, seen } = await relay(api().baseUrl, () => refusal)
    const abort = new AbortController()
    const listing = collect(pets(clientOf({ baseUrl }), {}, { signal: abort.signal }))
    await expect.poll(() => seen.length).toBe(1)
    await setTimeout(50)
    abort.abort(new Error('The user has left.'))
    await expect(listing).rejects.toThrow('The user has left.')
    expect(seen).toHaveLength(1)
  })

  it('do not begin when the caller aborts in the middle of a request', async () => {
    const abort = new AbortController()
    const { baseUrl, seen } = await relay(api().baseUrl, async (): Promise<Fate> => {
      abort.abort(new Error('The user has left.'))
      return 'pass'
    })
    const { client, waits } = patient({ baseUrl })
    await expect(client.GET('/pets', { signal: abort.signal })).rejects.toThrow('The user has left.')
    expect(seen).toHaveLength(1)
    expect(waits).toEqual([])
  })
})

describe('the next page', () => {
  const pageWith = (link: string) => ({ status: 200, headers: { Link: link }, body: [] })

  it.each([
    '</v1/pets?cursor=a%2Cb>; rel="next"',
    '<pets?cursor=a%2Cb>;rel=next',
    '</v1/pets>; rel="first"; title="a, <b>; rel=next", </v1/pets?cursor=a%2Cb>; title="c"; rel="last next"',
    '</v1/pets?cursor=a%2Cb>; REL="Next"; title="d"',
  ])('is where the Link header says, as it is: %s', async (link) => {
    const { baseUrl, seen } = await relay(api().baseUrl, (nth) =>
      nth === 1 ? pageWith(link) : { status: 200, body: [] },
    )
    await collect(pets(clientOf({ baseUrl }), { status: 'sold' }))
    expect(seen.map(({ url }) => url)).toEqual(['/v1/pets?limit=100&status=sold', '/v1/pets?cursor=a%2Cb'])
    expect(seen[1]?.headers.authorization).toBe(`Bearer ${api().apiKey}`)
  })

  it.each(['</v1/pets>; rel="prev"', '</v1/pets>; rel="nextish"', 'rel="next"', '</v1/pets>; title="; rel=next; "'])(
    'is none by %s',
    async (link) => {
      const { baseUrl, seen } = await relay(api().baseUrl, () => pageWith(link))
      expect(await collect(pets(clientOf({ baseUrl })))).toEqual([])
      expect(seen).toHaveLength(1)
    },
  )

  it('is never asked of another host, which would see the API key', async () => {
    const other = await relay(api().baseUrl, () => 'pass')
    const { baseUrl } = await relay(api().baseUrl, () => pageWith(`<${other.baseUrl}/pets>; rel="next"`))
    await expect(collect(pets(clientOf({ baseUrl })))).rejects.toThrow('not where this one came from')
    expect(other.seen).toEqual([])
  })
})
