import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, it } from 'vitest'
import { readContract } from '../../../infra/contract/contract.ts'
import { readGatewayEvent, replaceHeader, replaceQuery } from '../../events/events.ts'
import { describeOnEachEngine } from '../../fixtures/database/engines.ts'
import { type CallFunction, loadFunctions } from '../../fixtures/service/functions.ts'
import { openService, type Service } from '../../fixtures/service/service.ts'

it.each(readContract().operations)('the recorded event of $name belongs to the operation', (operation) => {
  expect(readGatewayEvent(operation.name)).toMatchObject({ httpMethod: operation.method, resource: operation.path })
})

// test/e2e sends the requests of test/requests over HTTP.
describeOnEachEngine('the responses of functions', (engine) => {
  let service: Service
  let callFunction: CallFunction
  beforeAll(async () => {
    service = await openService(engine)
    callFunction = await loadFunctions(service)
  })

  it('the last page of a list has no link to another page', async () => {
    // No request of test/requests names this id.
    await service.pets.put({ id: 6n, name: 'Oldest', categoryId: 1n, status: 'sold' }, 'an attempt')
    const event = replaceQuery(readGatewayEvent('list-pets'), 'status=sold&limit=100')

    const { headers, body } = await callFunction('list-pets', event)

    expect(JSON.parse(body).at(-1)).toMatchObject({ id: 6, name: 'Oldest' })
    expect(headers).not.toHaveProperty('Link')
  })

  it('a response has exactly the headers of the contract', async () => {
    const { headers } = await callFunction('create-pet', readGatewayEvent('create-pet'))

    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      // test/unit/shared/contract/openapi.test.ts compares the names with the contract.
      'Access-Control-Expose-Headers': expect.any(String),
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '41',
      'X-RateLimit-Reset': '1793611860',
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=41;t=43, "day";r=412;t=52183',
    })
  })

  it('a response has exactly the fields of a pet, in their order', async () => {
    const { body } = await callFunction('create-pet', readGatewayEvent('create-pet'))

    expect(body).toMatch(/^\{"id":\d+,"name":"Bella","categoryId":1,"status":"pending"\}$/)
  })

  it.each([
    { request: 'without an Idempotency-Key', idempotencyKeys: [] },
    { request: 'with an Idempotency-Key', idempotencyKeys: ['0b7e3c52'] },
  ])('a pet of a request $request is stored with the id of the API key that added it', async ({ idempotencyKeys }) => {
    const event = replaceHeader(readGatewayEvent('create-pet'), 'Idempotency-Key', ...idempotencyKeys)

    const { body } = await callFunction('create-pet', event)

    const { Items = [] } = await service.client.send(new ScanCommand({ TableName: service.tables.pets }))
    const { id } = JSON.parse(body)
    expect(Items.find((item) => item['id'] === id)).toMatchObject({ addedBy: 'key_0mhi3d2k5a7b3c9d1e' })
  })
})
