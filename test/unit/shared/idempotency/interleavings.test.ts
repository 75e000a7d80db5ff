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
import { clientInTurns, itHoldsInEachOrder, losses, type Turns } from '../../../fixtures/turns.ts'

// The id of a key that was never issued.
const scope = 'key_one' as IdempotencyScope
const bella = { name: 'Bella', categoryId: 1n, status: 'available' } as const

/** Reserves without waiting for a turn, so that whoever does it is the first request. */
class PromptReservations extends ReservationStore {
  isReserved = false
  readonly #prompt: ReservationStore

  constructor(prompt: ReservationStore, ...inTurns: ConstructorParameters<typeof ReservationStore>) {
    super(...inTurns)
    this.#prompt = prompt
  }

  override async reserve(...given: Parameters<ReservationStore['reserve']>) {
    const outcome = await this.#prompt.reserve(...given)
    this.isReserved = true
    return outcome
  }
}

describeOnEachEngine('for each order of the calls of a first request and its retries', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  let races = 0

  /** A first request that is late with its pet, and retries after the end of its lock. Another pet was added in between. */
  const race = async (turns: Turns, retries: number, isLost?: () => boolean) => {
    races += 1
    service.time.advance(60)
    const id = reservationId(scope, `race ${races}`)
    const client = clientInTurns(engine, turns, isLost)
    const pets = new PetStore(client, service.tables.pets)
    const start = service.time.clock()
    const afterLock = start + 15_000
    const seen = await addPet(service.pets, { ...bella, name: 'Seen by the poller' }, () => afterLock - 1_000)
    const add = (reservations: ReservationStore, clock: Clock) =>
      addPetOnce({ pets, reservations }, id, { ...bella, name: `Race ${races}` }, clock)
    const prompt = new PromptReservations(service.reservations, client, service.tables.idempotency)
    const inTurns = new ReservationStore(client, service.tables.idempotency)
    const ended = await turns.run<AddedPet & { readonly isRetry: boolean }>([
      async () => ({ isRetry: false, ...(await add(prompt, () => (prompt.isReserved ? afterLock : start))) }),
      ...Array.from({ length: retries }, (_, retry) => async () => ({
        isRetry: true,
        ...(await add(inTurns, () => afterLock + retry)),
      })),
    ])
    const { pets: newest } = await service.pets.page({ limit: 5, status: undefined, before: undefined })
    return { ended, seen, added: newest.filter(({ name }) => name === `Race ${races}`), newest }
  }

  const expectOnePet = ({ ended, seen, added, newest }: Awaited<ReturnType<typeof race>>): void => {
    const [pet] = added
    expect(added).toEqual([pet])
    expect(ended.map((one) => one.pet)).toEqual(ended.map(() => pet))
    // Else the first request itself has stored it, under the id that it had drawn.
    const isAddedByRetry = ended.some(({ isRetry, replayed }) => isRetry && !replayed)
    expect(newest.slice(0, 2)).toEqual(isAddedByRetry ? [pet, seen] : expect.arrayContaining([pet, seen]))
  }

  itHoldsInEachOrder(
    'they add one pet and all return it; a pet that a retry adds is the newest',
    [fc.integer({ min: 1, max: 3 })],
    async (turns, retries) => expectOnePet(await race(turns, retries)),
  )

  itHoldsInEachOrder(
    'and whichever responses of DynamoDB get lost, they add one pet',
    [losses],
    async (turns, isLost) => expectOnePet(await race(turns, 2, isLost)),
  )
})
