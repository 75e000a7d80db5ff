/**
 * Requests with one idempotency key at the same time, in orders that fast-check chooses.
 *
 * No engine that runs here cancels a transaction because of another one: the built-in engine makes them one by one, and
 * DynamoDB Local canceled none of 400 that wrote one item at once. The client of these tests cancels transactions in
 * their place, also where no other one is under way: more often than DynamoDB would. The tests do not show that two
 * transactions stop cancelling each other: their random waits, and the time of a request, end that.
 */
import { TransactionInProgressException } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { beforeEach, expect, vi } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import { type AddedPet, addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { createRecordId } from '../../../../shared/idempotency/idempotency-record.ts'
import { addPet } from '../../../../shared/pets/add-pet.ts'
import type { NewPet } from '../../../../shared/pets/pet.ts'
import { PetTable } from '../../../../shared/pets/pet-table.ts'
import { createCancellation } from '../../../fixtures/database/clients.ts'
import { describeOnEachEngine, type RunningEngine } from '../../../fixtures/database/engines.ts'
import {
  createClientInTurns,
  itHoldsInEachOrder,
  KilledError,
  lostResponses,
  orderCount,
  type Turns,
} from '../../../fixtures/database/turns.ts'
import { openService, type Service } from '../../../fixtures/service/service.ts'

const bella: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }
const milo: NewPet = { name: 'Milo', categoryId: 1n, status: 'available' }

/** Start and end of one attempt to add the pet. */
interface Fate {
  /** Seconds from the first attempt to this one, by the clock of its instance. Clocks differ. */
  readonly startsAfter: number
  /** Number of calls after which the instance is killed; `undefined` if it is not killed. */
  readonly callsBeforeKill: number | undefined
  /** Decides which responses of DynamoDB are lost. */
  readonly isLost: () => boolean
  /** Decides which transactions DynamoDB cancels, or says to be in progress. */
  readonly drawError: () => Error | undefined
}

/** Errors of a transaction that passes when it is sent again. */
const refusals = [
  createCancellation('TransactionConflict', 'None'),
  new TransactionInProgressException({ message: 'in progress', $metadata: {} }),
]

/** Functions that draw an error for some of the first calls, and then let every call pass. */
const drawnErrors: fc.Arbitrary<() => Error | undefined> = fc
  .array(fc.option(fc.constantFrom(...refusals), { nil: undefined }), { maxLength: 3 })
  .map((drawn) => {
    const remaining = [...drawn]
    return () => remaining.pop()
  })

const fates: fc.Arbitrary<Fate> = fc.record({
  startsAfter: fc.integer({ min: -5, max: 20 }),
  callsBeforeKill: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
  isLost: fc.oneof(
    fc.constant(() => false),
    lostResponses,
  ),
  drawError: drawnErrors,
})

const survivingFates = fates.map((fate) => ({ ...fate, callsBeforeKill: undefined }))

/** Sends one attempt. @returns undefined if its instance was killed */
const sendAttempt = async (
  { tables, time }: Service,
  recordId: string,
  engine: RunningEngine,
  turns: Turns,
  fate: Fate,
): Promise<AddedPet | undefined> => {
  const { startsAfter, ...fateOfClient } = fate
  const clock = (): number => time.clock() + startsAfter * 1_000
  const pets = new PetTable(createClientInTurns(engine, turns, fateOfClient), tables.pets)
  try {
    return await addPetOnce({ pets, idempotencyTable: tables.idempotency }, recordId, bella, clock)
  } catch (error) {
    if (error instanceof KilledError) return undefined
    throw error
  }
}

describeOnEachEngine('requests with one Idempotency-Key at the same time', (engine) => {
  beforeEach(() => {
    // The waits before a transaction is sent again take no time. fast-check draws the orders, without Math.random.
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })

  // These orders include a client that sends its request again, before or after the instance of its first request is
  // killed.
  itHoldsInEachOrder(
    'a pet is added once and returned to every request, whatever instance is killed',
    fc.record({ survivingFate: survivingFates, otherFates: fc.array(fates, { minLength: 1, maxLength: 5 }) }),
    async (turns, { survivingFate, otherFates }) => {
      const service = await openService(engine)
      const otherPet = await addPet(service.pets, milo, service.time.clock)
      // The cast brands the scope of a key that was never issued.
      const recordId = createRecordId('key_one' as IdempotencyScope, crypto.randomUUID())

      const send = (fate: Fate) => sendAttempt(service, recordId, engine, turns, fate)
      const responses = await turns.run([...otherFates, survivingFate].map((fate) => () => send(fate)))

      const { pets } = await service.pets.listPage({ limit: 100, status: undefined, before: undefined })
      const addedPets = pets.filter(({ name }) => name === 'Bella')
      expect(addedPets, 'the pet is added once').toHaveLength(1)
      expect(pets, 'no other pet is added or lost').toHaveLength(2)
      expect(pets, 'no other pet is added or lost').toContainEqual(otherPet)
      const received = responses.filter((response) => response !== undefined)
      for (const { pet } of received) expect(pet, 'every request gets the added pet').toEqual(addedPets[0])
      const additions = received.filter(({ replayed }) => !replayed)
      expect(additions.length, 'one request at most is told that it added the pet').toBeLessThanOrEqual(1)
    },
    // Twice the usual number, because the fates of the instances are drawn too.
    2 * orderCount,
  )
})
