import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPet } from '../../../functions/create-pet/create-pet.ts'
import { getPet } from '../../../functions/get-pet/get-pet.ts'
import { listPets } from '../../../functions/list-pets/list-pets.ts'
import { KeyTable } from '../../../infra/operations/keys/key-table.ts'
import { ReservationStore } from '../../../shared/idempotency/reservations.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import type { RateLimiter } from '../../../shared/rate-limit/rate-limiter.ts'
import { gatewayEvent, lambdaContext } from '../../events/events.ts'
import { type RecordedCall, recordingClient } from '../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../fixtures/service.ts'
import { noon } from '../../fixtures/settable-clock.ts'

const operations = (calls: readonly RecordedCall[]): string[] => calls.map(({ operation }) => operation)

describeOnEachEngine('the calls to DynamoDB', (engine) => {
  const { client, calls } = recordingClient(engine)
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  describe('of the authorizer', () => {
    let limiter: RateLimiter
    let key: UsableKey
    beforeEach(async () => {
      service.time.set(noon)
      limiter = service.limiter({ client, bans: { refusalsBeforeBan: 2, firstBanSeconds: 60, longestBanSeconds: 60 } })
      key = await issueKey(service, { perMinute: 2, perDay: 100 })
      await limiter.admit(key.keyHash)
      calls.length = 0
    })

    it('are one for a usual request', async () => {
      await limiter.admit(key.keyHash)
      expect(operations(calls)).toEqual(['UpdateItem'])
    })

    it('are two for the first request of a minute', async () => {
      service.time.advance(60)
      await limiter.admit(key.keyHash)
      expect(operations(calls)).toEqual(['UpdateItem', 'UpdateItem'])
    })

    it('are two for a request over the limit', async () => {
      await limiter.admit(key.keyHash)
      calls.length = 0
      await limiter.admit(key.keyHash)
      expect(operations(calls)).toEqual(['UpdateItem', 'UpdateItem'])
    })

    it('are one for a request of a banned key', async () => {
      for (let request = 0; request < 3; request += 1) await limiter.admit(key.keyHash)
      calls.length = 0
      expect((await limiter.admit(key.keyHash)).kind).toBe('banned')
      expect(operations(calls)).toEqual(['UpdateItem'])
    })
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

    it('are one to get a pet', async () => {
      await getPet(stores().pets, service.time.clock)(gatewayEvent('get-pet'), lambdaContext)
      expect(operations(calls)).toEqual(['GetItem'])
    })

    it('are one to create a pet', async () => {
      await createPet(stores(), service.time.clock)(gatewayEvent('create-pet'), lambdaContext)
      expect(operations(calls)).toEqual(['PutItem'])
    })

    it('are two to create one with an Idempotency-Key, and two to replay it', async () => {
      const create = createPet(stores(), service.time.clock)
      await create(gatewayEvent('create-pet-idempotent'), lambdaContext)
      expect(operations(calls)).toEqual(['PutItem', 'PutItem'])
      calls.length = 0
      await create(gatewayEvent('create-pet-idempotent'), lambdaContext)
      expect(operations(calls)).toEqual(['PutItem', 'GetItem'])
    })

    it('are one to list the pets of one status', async () => {
      await listPets(stores().pets)(gatewayEvent('list-pets-filtered'), lambdaContext)
      expect(operations(calls)).toEqual(['Query'])
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
