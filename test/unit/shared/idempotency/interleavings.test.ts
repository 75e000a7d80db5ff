import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { beforeAll, expect } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import type { Clock } from '../../../../shared/clock.ts'
import { addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { ReservationStore, reservationId } from '../../../../shared/idempotency/reservations.ts'
import { type AddedPet, addPet } from '../../../../shared/pets/add-pet.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'
import { clientInTurns, itHoldsInEachOrder, losses } from '../../../fixtures/turns.ts'

// The id of a key that was never issued.
const scope = 'key_one' as IdempotencyScope
const bella = { name: 'Bella', categoryId: 1n, status: 'available' } as const

const sometimes = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined })

describeOnEachEngine('for each order of the calls of a first request and its retries', (engine) => {
  let service: Service
  let races = 0
  beforeAll(async () => {
    service = await openService(engine)
  })

  itHoldsInEachOrder(
    'they add one pet and all return it, whichever responses get lost and wherever the first is killed; one that a retry adds is the newest',
    [fc.integer({ min: 1, max: 3 }), sometimes(losses), sometimes(fc.integer({ min: 1, max: 4 }))],
    async (turns, retries, isLost, killedAfter) => {
      races += 1
      service.time.advance(60)
      const name = `Race ${races}`
      const start = service.time.clock()
      const afterLock = start + 15_000
      const add = (client: DynamoDBDocumentClient, clock: Clock): Promise<AddedPet> => {
        const pets = new PetStore(client, service.tables.pets)
        const reservations = new ReservationStore(client, service.tables.idempotency)
        return addPetOnce({ pets, reservations }, reservationId(scope, name), { ...bella, name }, clock)
      }
      // Somebody polls between the first request, which reserves without waiting for its turn, and the retries.
      const seen = await addPet(service.pets, bella, () => afterLock - 1_000)
      let isReserved = false
      const next = async (call: string): Promise<void> => {
        if (isReserved) await turns.next(call)
        isReserved = true
      }
      const firstClient = clientInTurns(engine, { next }, isLost, killedAfter)
      const ended: (AddedPet & { readonly isRetry: boolean })[] = []
      await turns.run([
        async () => {
          try {
            const first = await add(firstClient, () => (isReserved ? afterLock : start))
            ended.push({ isRetry: false, ...first })
          } catch (error) {
            if (killedAfter === undefined) throw error
          }
        },
        ...Array.from({ length: retries }, (_, retry) => async () => {
          const retried = await add(clientInTurns(engine, turns, isLost), () => afterLock + retry)
          ended.push({ isRetry: true, ...retried })
        }),
      ])
      const { pets: newest } = await service.pets.page({ limit: 5, status: undefined, before: undefined })
      const added = newest.filter((pet) => pet.name === name)
      const [pet] = added
      expect(added).toEqual([pet])
      expect(ended.map((one) => one.pet)).toEqual(ended.map(() => pet))
      // Else the first request itself has stored it, under the id that it had drawn.
      const isAddedByRetry = ended.some(({ isRetry, replayed }) => isRetry && !replayed)
      expect(newest.slice(0, 2)).toEqual(isAddedByRetry ? [pet, seen] : expect.arrayContaining([pet, seen]))
    },
  )
})
