import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPet } from '../../../functions/create-pet/create-pet.ts'
import { getPet } from '../../../functions/get-pet/get-pet.ts'
import { listPets } from '../../../functions/list-pets/list-pets.ts'
import { KeyTable } from '../../../shared/api-keys/key-table.ts'
import { ReservationStore } from '../../../shared/idempotency/reservations.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import { gatewayEvent, lambdaContext } from '../../events/events.ts'
import { type RecordedCall, recordingClient } from '../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { issueKey, openService, type Service } from '../../fixtures/service.ts'
import { noon } from '../../fixtures/settable-clock.ts'

const operations = (calls: readonly RecordedCall[]): string[] => calls.map(({ operation }) => operation)

describeOnEachEngine('the calls to DynamoDB', (engine) => {
  const { client, calls } = recordingClient(engine)
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  it('of the authorizer are one, two for the first request of a minute and the first that an instance refuses, and one in two seconds for a ban', async () => {
    service.time.set(noon)
    const bans = { refusalsBeforeBan: 4, firstBanSeconds: 60, longestBanSeconds: 60 }
    const limiter = service.limiter({ client, bans })
    const { keyHash } = await issueKey(service, { perMinute: 2, perDay: 100 })
    const made: string[] = []
    for (const wait of [0, 0, 0, 0, 0, 0, 0, 1.999, 0.001, 1.999]) {
      service.time.advance(wait)
      calls.length = 0
      const { kind } = await limiter.admit(keyHash)
      made.push([kind, ...operations(calls)].join(' '))
    }
    expect(made).toEqual([
      'admitted UpdateItem UpdateItem',
      'admitted UpdateItem',
      'exhausted UpdateItem UpdateItem',
      'exhausted UpdateItem',
      'exhausted UpdateItem',
      'banned UpdateItem UpdateItem',
      'banned',
      'banned',
      'banned UpdateItem',
      'banned',
    ])
  })

  it('of the authorizer are one again from the second request on after the limit of a key was raised', async () => {
    const limiter = service.limiter({ client })
    const { keyHash, keyId } = await issueKey(service, { perMinute: 1, perDay: 100 })
    for (const kind of ['admitted', 'exhausted']) expect((await limiter.admit(keyHash)).kind).toBe(kind)
    await service.keys.move(keyId, 'enterprise', { perMinute: 5, perDay: 100 })
    await limiter.admit(keyHash)
    calls.length = 0
    expect((await limiter.admit(keyHash)).kind).toBe('admitted')
    expect(operations(calls)).toEqual(['UpdateItem'])
  })

  it('are one scan to list all API keys', async () => {
    await issueKey(service, { perMinute: 2, perDay: 100 })
    calls.length = 0
    expect((await new KeyTable(client, service.tables.apiKeys).list()).length).toBeGreaterThan(0)
    expect(operations(calls)).toEqual(['Scan'])
  })

  describe('of an operation', () => {
    const stores = () => ({
      pets: new PetStore(client, service.tables.pets),
      reservations: new ReservationStore(client, service.tables.idempotency),
    })
    beforeEach(() => {
      calls.length = 0
    })

    const create = () => createPet(stores(), service.time.clock)

    it.each([
      ['to get a pet', ['GetItem'], 'get-pet', () => getPet(stores().pets, service.time.clock)],
      ['to create a pet', ['PutItem'], 'create-pet', create],
      ['to create one with an Idempotency-Key', ['PutItem', 'PutItem'], 'create-pet-idempotent', create],
      ['to replay that', ['PutItem', 'GetItem'], 'create-pet-idempotent', create],
      ['to list the pets of one status', ['Query'], 'list-pets-filtered', () => listPets(stores().pets)],
    ])('%s are %j', async (_what, expected, event, handler) => {
      await handler()(gatewayEvent(event), lambdaContext)
      expect(operations(calls)).toEqual(expected)
    })

    it('are three side by side to list the pets of all', async () => {
      await listPets(stores().pets)(gatewayEvent('list-pets'), lambdaContext)
      expect(operations(calls)).toEqual(['Query', 'Query', 'Query'])
      const lastStart = Math.max(...calls.map(({ startedAt }) => startedAt))
      const firstEnd = Math.min(...calls.map(({ endedAt }) => endedAt))
      expect(lastStart).toBeLessThan(firstEnd)
    })
  })
})
