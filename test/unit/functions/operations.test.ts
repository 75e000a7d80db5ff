import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import { createPet } from '../../../functions/create-pet/create-pet.ts'
import { getPet } from '../../../functions/get-pet/get-pet.ts'
import { listPets } from '../../../functions/list-pets/list-pets.ts'
import type { GatewayEvent, GatewayResult } from '../../../shared/http/gateway-event.ts'
import type { Pet } from '../../../shared/pets/pet.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import { gatewayEvent, lambdaContext, withQuery } from '../../events/events.ts'
import { checkResponse } from '../../fixtures/check-response.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { openService, type Service } from '../../fixtures/service.ts'

/** On every response to the recorded events. */
const common = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Link,Retry-After,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,RateLimit-Policy,RateLimit,Deprecation,Sunset,Idempotency-Replayed,x-amzn-RequestId',
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '41',
  'X-RateLimit-Reset': '1793611860',
  'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  RateLimit: '"minute";r=41;t=43, "day";r=412;t=52183',
}

const deprecated = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</v1/pets>; rel="successor-version"',
}

const address = 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/v1/pets'

type Handler = (event: GatewayEvent, context: typeof lambdaContext) => Promise<GatewayResult>

/** Calls a handler, and checks its response against the contract. */
const ask = async (handler: Handler, event: GatewayEvent) => {
  const { statusCode, headers = {}, body, ...others } = await handler(event, lambdaContext)
  // API Gateway allows no other field ("Lambda proxy integration output format").
  expect(others).toEqual({})
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  const seen = { status: statusCode, headers: new Headers(texts), text: body }
  expect(checkResponse(event.httpMethod, event.path, seen)).toEqual([])
  return { status: statusCode, headers, text: body }
}

describeOnEachEngine('the recorded request', (engine) => {
  let service: Service
  let list: Handler
  let create: Handler
  let get: Handler
  beforeEach(async () => {
    service = await openService(engine)
    list = listPets(service.pets)
    create = createPet(service, service.time.clock)
    get = getPet(service.pets, service.time.clock)
  })

  const add = async (id: bigint, change: Partial<Pet> = {}): Promise<void> => {
    await service.pets.put({ id, name: 'Bella', categoryId: 1n, status: 'available', ...change }, `attempt ${id}`)
  }

  it('list-pets returns all pets, the newest first', async () => {
    await add(1n)
    await add(2n, { name: 'Milo', categoryId: 2n ** 63n - 1n, status: 'sold' })
    expect(await ask(list, gatewayEvent('list-pets'))).toEqual({
      status: 200,
      headers: common,
      text: '[{"id":2,"name":"Milo","categoryId":9223372036854775807,"status":"sold"},{"id":1,"name":"Bella","categoryId":1,"status":"available"}]',
    })
  })

  it('list-pets-filtered returns one page and a link to the next', async () => {
    for (const id of [1n, 2n, 3n]) await add(id)
    await add(4n, { status: 'pending' })
    const first = await ask(list, gatewayEvent('list-pets-filtered'))
    const cursor = Buffer.from('before:2').toString('base64url')
    expect(first.headers).toEqual({
      ...common,
      Link: `<${address}?limit=2&status=available&cursor=${cursor}>; rel="next"`,
    })
    expect(JSON.parse(first.text)).toMatchObject([{ id: 3 }, { id: 2 }])
    const next = withQuery(gatewayEvent('list-pets'), `limit=2&status=available&cursor=${cursor}`)
    const last = await ask(list, next)
    expect(last.headers).toEqual(common)
    expect(JSON.parse(last.text)).toMatchObject([{ id: 1 }])
  })

  it('create-pet returns the pet that was added', async () => {
    const { status, headers, text } = await ask(create, gatewayEvent('create-pet'))
    const [pet] = (await service.pets.page({ limit: 1, status: 'pending', before: undefined })).pets
    expect({ status, headers }).toEqual({ status: 201, headers: common })
    expect(text).toBe(`{"id":${pet?.id},"name":"Bella","categoryId":1,"status":"pending"}`)
  })

  it.each(['create-pet', 'create-pet-idempotent'] as const)(
    '%s stores who added the pet, and does not show it',
    async (name) => {
      const { text } = await ask(create, gatewayEvent(name))
      const { Items = [] } = await service.client.send(new ScanCommand({ TableName: service.tables.pets }))
      expect(Items).toMatchObject([{ addedBy: 'key_0mhi3d2k5a7b3c9d1e' }])
      expect(Object.keys(JSON.parse(text))).toEqual(['id', 'name', 'categoryId', 'status'])
    },
  )

  it('create-pet-idempotent returns the same response to a retry, marked as replayed', async () => {
    const first = await ask(create, gatewayEvent('create-pet-idempotent'))
    expect({ status: first.status, headers: first.headers }).toEqual({ status: 201, headers: common })
    expect(first.text).toMatch(/^\{"id":\d+,"name":"Milo","categoryId":9223372036854775807,"status":"available"\}$/)
    expect(await ask(create, gatewayEvent('create-pet-idempotent'))).toEqual({
      ...first,
      headers: { ...common, 'Idempotency-Replayed': 'true' },
    })
  })

  it('get-pet returns the pet, and announces its own end', async () => {
    await add(150_739n)
    expect(await ask(get, gatewayEvent('get-pet'))).toEqual({
      status: 200,
      headers: { ...common, ...deprecated },
      text: '{"id":150739,"name":"Bella","categoryId":1,"status":"available"}',
    })
  })

  it('get-pet finds no pet', async () => {
    expect(await ask(get, gatewayEvent('get-pet'))).toEqual({
      status: 404,
      headers: { ...common, ...deprecated },
      text: '{"code":"pet_not_found","message":"There is no pet with this id.","status":404}',
    })
  })

  it('responds 500 without details where a table does not exist', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const lost = new PetStore(service.client, 'no-such-table')
    const response = await ask(listPets(lost), gatewayEvent('list-pets'))
    expect(logged).toHaveBeenCalledOnce()
    logged.mockRestore()
    expect(response).toEqual({
      status: 500,
      headers: common,
      text: '{"code":"internal_error","message":"The service failed to respond. Try again later.","status":500}',
    })
  })
})
