import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import { type AddedPet, drawAttemptId, putUnderFreeId } from '../pets/add-pet.ts'
import { assignPetId, type NewPet } from '../pets/pet.ts'
import { drawPetId } from '../pets/pet-id.ts'
import type { PetStore } from '../pets/pet-store.ts'
import { operationTimeoutSeconds } from '../timeouts.ts'
import { computeFingerprint, type Reservation, type ReservationStore } from './reservations.ts'

const keptSeconds = 24 * 60 * 60

/**
 * Longer than the function may run. Until then a retry waits for the first request. The end of the lock does not prove
 * that the first request has ended: Lambda freezes an instance with its calls and may resume them minutes later ("Lambda execution environment lifecycle").
 */
const lockedSeconds = 1.5 * operationTimeoutSeconds

/** What the requests of an idempotency key do. */
interface Creation {
  readonly pets: PetStore
  readonly reservations: ReservationStore
  /** Of the reservation. */
  readonly id: string
  readonly newPet: NewPet
  readonly clock: Clock
}

/**
 * Adds the pet of an idempotency key once, also when requests fail or are retried. The first request costs one write more
 * than without the key. A retry costs a write and a read, and three writes more when the pet is not stored yet.
 *
 * @throws ServiceError `idempotency_key_reused` for another body, `idempotency_key_in_use` while the first
 * request may still be running.
 */
export const addPetOnce = async (
  stores: Pick<Creation, 'pets' | 'reservations'>,
  id: string,
  newPet: NewPet,
  clock: Clock,
): Promise<AddedPet> => {
  const creation = { ...stores, id, newPet, clock }
  const now = Math.floor(clock() / 1_000)
  const fresh: Reservation = {
    petId: drawPetId(clock()),
    attemptId: drawAttemptId(),
    fingerprint: computeFingerprint(newPet),
    lockedUntil: now + lockedSeconds,
    expiresAt: now + keptSeconds,
  }
  const first = await addFirst(creation, fresh)
  if ('pet' in first) return first
  if (first.fingerprint !== fresh.fingerprint) throw new ServiceError('idempotency_key_reused')
  if (await stores.pets.isStored(first.petId, first.attemptId)) return replay(creation, first)
  if (now < first.lockedUntil) {
    throw new ServiceError('idempotency_key_in_use', { headers: { 'Retry-After': '1' } })
  }
  return addLate(creation, first)
}

/** The pet as the first response had it: operators may have changed or removed it since. */
const replay = ({ newPet }: Creation, { petId }: Reservation): AddedPet => ({
  pet: assignPetId(petId, newPet),
  replayed: true,
})

/** Reserves the key and adds the pet, or returns the existing reservation. */
const addFirst = async (creation: Creation, fresh: Reservation): Promise<AddedPet | Reservation> => {
  const { reservations, id, clock } = creation
  try {
    const existing = await reservations.reserve(id, fresh, Math.floor(clock() / 1_000))
    if (existing !== undefined) return existing
    // A call of this request whose response was lost is no replay.
    return { ...(await store(creation, fresh)), replayed: false }
  } catch (error) {
    // This request has ended, so a retry need not wait for the lock. If this fails, the lock expires.
    await reservations.unlock(id, fresh).catch(() => undefined)
    throw error
  }
}

/**
 * Adds the pet that earlier requests have not stored, under a new id: callers that poll the newest page would miss the old
 * one. The old id becomes void first, so that a late put of an earlier request adds no second pet.
 */
const addLate = async (creation: Creation, reservation: Reservation): Promise<AddedPet> => {
  const { pets, reservations, id, clock } = creation
  if (await pets.voidId(reservation.petId, reservation.attemptId)) return replay(creation, reservation)
  const petId = await reservations.replacePetId(id, reservation, drawPetId(clock()))
  return store(creation, { ...reservation, petId })
}

/** Stores the pet under the id of the reservation, and replaces that id while it is taken or void. */
const store = ({ pets, reservations, id, newPet, clock }: Creation, reservation: Reservation): Promise<AddedPet> =>
  putUnderFreeId(pets, newPet, reservation.attemptId, reservation.petId, (taken) =>
    reservations.replacePetId(id, { ...reservation, petId: taken }, drawPetId(clock())),
  )
