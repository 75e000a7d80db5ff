import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { roomInMinute } from '../e2e/room-in-minute.ts'
import { localApi } from './local-api.ts'
import { hasPython, run } from './programs.ts'
import { type Fate, relay } from './relay.ts'

const api = localApi()
const folder = fileURLToPath(new URL('../../infra/reference/clients/python/', import.meta.url))

/** Runs Python with a `client`, whose waits are noted in `waits` rather than made. Gives what it prints, as JSON. */
const python = async (code: string, change: { baseUrl?: string; apiKey?: string; options?: string } = {}) => {
  const { baseUrl, apiKey, options = '' } = { ...api(), ...change }
  const beginning = `
import json
from pet_adoption import PetAdoptionClient, PetAdoptionError
waits = []
client = PetAdoptionClient("${baseUrl}", "${apiKey}", sleep=waits.append${options})
`
  return JSON.parse(await run('python3', ['-W', 'error', '-c', beginning + code], { folder }))
}

const unavailable = {
  status: 503,
  headers: { 'Retry-After': '10' },
  body: { code: 'service_unavailable', message: 'Later.', status: 503 },
} as const satisfies Fate

const refused = `
try:
    client.page()
except PetAdoptionError as error:
    print(json.dumps([error.status, error.code, str(error), len(waits)]))
`

describe.skipIf(!hasPython())('the Python client', () => {
  it('lists what is asked for', async () => {
    const pets = await python('print(json.dumps(client.page(status="pending", limit=2)))')
    expect(pets).toMatchObject([{ status: 'pending' }, { status: 'pending' }])
  })

  it('gives every pet once, page by page, while pets are added', async () => {
    const { before, seen } = await python(`
before = list(client.pets())
seen = []
for pet in client.pets(limit=4):
    if len(seen) % 4 == 0:
        client.create_pet("Added meanwhile", 1)
    seen.append(pet)
print(json.dumps({"before": before, "seen": seen}))
`)
    expect(before.length).toBeGreaterThan(8)
    expect(seen).toEqual(before)
  })

  it('sends every int64 and reads it back exactly', async () => {
    const exact = await python(`
ends = [-2**63, 2**53 + 1, 2**63 - 1]
created = [client.create_pet("Exactly", end, "sold") for end in ends]
read = list(client.pets(status="sold"))[:3]
print(json.dumps([[pet["categoryId"] for pet in created] == ends, read == created[::-1]]))
`)
    expect(exact).toEqual([true, true])
  })

  it('raises the error that the API answered, and sends the request once', async () => {
    const [status, code] = await python(refused, { apiKey: 'none' })
    expect([status, code]).toEqual([401, 'unauthorized'])
  })

  it('raises an error without a code when something else answered in place of the API', async () => {
    const { baseUrl } = await relay(api().baseUrl, () => ({ status: 502, body: 'a proxy' }))
    expect((await python(refused, { baseUrl })).slice(0, 2)).toEqual([502, null])
  })

  it('waits out a limit that is used up, never less than Retry-After says', async () => {
    await roomInMinute(20)
    const { baseUrl, keys } = api()
    const allowance = { perMinute: 1, perDay: 100 }
    const { apiKey, record } = await keys.issue({ owner: 'a shelter', plan: 'enterprise', allowance })
    const between = await relay(baseUrl, async (nth): Promise<Fate> => {
      // The wait is not made, so that the third request needs a plan that has room at once.
      if (nth === 3) await keys.move(record.keyId, 'pro', fixedPlans.pro)
      return 'pass'
    })
    const code = 'client.page(); client.page(); print(json.dumps(waits))'
    const waits = await python(code, { apiKey, baseUrl: between.baseUrl })
    expect(between.answered.map(({ statusCode }) => statusCode)).toEqual([200, 429, 200])
    const retryAfter = Number(between.answered[1]?.headers['retry-after'])
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThan(retryAfter)
    expect(waits[0]).toBeLessThanOrEqual(retryAfter + 0.5)
  })

  it('adds a pet once whose answer got lost, under one key', async () => {
    const { baseUrl, seen } = await relay(api().baseUrl, (nth) => (nth < 3 ? 'lose the answer' : 'pass'))
    const found = await python(
      'client.create_pet("Only once", 2); print(json.dumps([p for p in client.pets() if p["name"] == "Only once"]))',
      { baseUrl },
    )
    expect(found).toHaveLength(1)
    expect(new Set(seen.slice(0, 3).map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  it('gives up after its attempts', async () => {
    const { baseUrl, seen } = await relay(api().baseUrl, () => unavailable)
    const [status, code, message, waits] = await python(refused, { baseUrl, options: ', attempts=3' })
    expect({ status, code, message, waits }).toEqual({ ...unavailable.body, waits: 2 })
    expect(seen).toHaveLength(3)
  })

  it('does not begin a wait that makes all of them too long', async () => {
    const { baseUrl, seen } = await relay(api().baseUrl, () => unavailable)
    await python(refused, { baseUrl, options: ', longest_wait=25' })
    expect(seen).toHaveLength(3)
  })

  it('never asks another host for the next page, which would see the API key', async () => {
    const other = await relay(api().baseUrl, () => 'pass')
    const headers = { Link: `<${other.baseUrl}/pets>; title="a"; rel="next"` }
    const { baseUrl } = await relay(api().baseUrl, () => ({ status: 200, headers, body: [] }))
    const code = `
try:
    list(client.pets())
except ValueError as error:
    print(json.dumps(str(error)))
`
    expect(await python(code, { baseUrl })).toContain('not where this one came from')
    expect(other.seen).toEqual([])
  })
})
