import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import { newAttemptId, putUnderFreeId } from '../pets/add-pet.ts'
import { type NewPet, type Pet, withId } from '../pets/pet.ts'
import { newPetId } from '../pets/pet-id.ts'
import type { PetStore } from '../pets/pet-store.ts'
import { operationTimeoutSeconds } from '../timeouts.ts'
import { fingerprintOf, type Reservation, type ReservationStore } from './reservations.ts'

const keptSeconds = 24 * 60 * 60

/**
 * Longer than the function may run. Until then a retry waits for the first request. The end of the lock does not prove
 * that the first request has ended: Lambda freezes an instance with its calls and may resume them minutes later ("Lambda execution environment lifecycle").
 */
const lockedSeconds = 1.5 * operationTimeoutSeconds

interface Stores {
  readonly pets: PetStore
  readonly reservations: ReservationStore
}

export interface AddedOnce {
  readonly pet: Pet
  /** Whether an earlier request had added it. */
  readonly replayed: boolean
}

/**
 * Adds the pet of an idempotency key once, also when requests fail or are retried. The first request costs one write more
 * than without the key. A retry costs a write and a read, and three writes more when the pet is not stored yet.
 *
 * @throws ServiceError `idempotency_key_reused` for another body, `idempotency_key_in_use` while the first
 * request may still be running.
 */
export const addPetOnce = async (stores: Stores, id: string, newPet: NewPet, clock: Clock): Promise<AddedOnce> => {
  const now = Math.floor(clock() / 1_000)
  const fresh: Reservation = {
    petId: newPetId(clock()),
    attemptId: newAttemptId(),
    fingerprint: fingerprintOf(newPet),
    lockedUntil: now + lockedSeconds,
    expiresAt: now + keptSeconds,
  }
  const first = await addFirst(stores, id, fresh, newPet, clock)
  if ('pet' in first) return first
  if (first.fingerprint !== fresh.fingerprint) throw new ServiceError('idempotency_key_reused')
  if (await stores.pets.isStored(first.petId, first.attemptId)) return replay(first, newPet)
  if (now < first.lockedUntil) {
    throw new ServiceError('idempotency_key_in_use', { headers: { 'Retry-After': '1' } })
  }
  return addLate(stores, id, first, newPet, clock)
}

/** The pet as the first response had it: operators may have changed or removed it since. */
const replay = ({ petId }: Reservation, newPet: NewPet): AddedOnce => ({
  pet: withId(petId, newPet),
  replayed: true,
})

/** Reserves the key and adds the pet, or returns the existing reservation. */
const addFirst = async (
  stores: Stores,
  id: string,
  fresh: Reservation,
  newPet: NewPet,
  clock: Clock,
): Promise<AddedOnce | Reservation> => {
  try {
    const outcome = await stores.reservations.reserve(id, fresh, Math.floor(clock() / 1_000))
    if (outcome.kind === 'used') return outcome.reservation
    const { pet } = await store(stores, id, fresh, newPet, clock)
    return { pet, replayed: false }
  } catch (error) {
    // This request has ended, so a retry need not wait for the lock. If this fails, the lock expires.
    await stores.reservations.unlock(id, fresh).catch(() => undefined)
    throw error
  }
}

/**
 * Adds the pet that earlier requests have not stored, under a new id: callers that poll the newest page would miss the old
 * one. The old id becomes void first, so that a late put of an earlier request adds no second pet.
 */
const addLate = async (
  stores: Stores,
  id: string,
  reservation: Reservation,
  newPet: NewPet,
  clock: Clock,
): Promise<AddedOnce> => {
  if (await stores.pets.voidId(reservation.petId, reservation.attemptId)) return replay(reservation, newPet)
  const petId = await stores.reservations.moveTo(id, reservation, newPetId(clock()))
  return store(stores, id, { ...reservation, petId }, newPet, clock)
}

/** Stores the pet under the id of the reservation, and replaces that id while it is taken or void. */
const store = async (
  { pets, reservations }: Stores,
  id: string,
  reservation: Reservation,
  newPet: NewPet,
  clock: Clock,
): Promise<AddedOnce> => {
  const replaceId = (petId: bigint) => reservations.moveTo(id, { ...reservation, petId }, newPetId(clock()))
  const { pet, wasStored } = await putUnderFreeId(pets, newPet, reservation.attemptId, reservation.petId, replaceId)
  return { pet, replayed: wasStored }
}
