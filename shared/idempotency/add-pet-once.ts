import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import { type AddedPet, drawAttemptId, putUnderFreeId } from '../pets/add-pet.ts'
import { assignPetId, type NewPet } from '../pets/pet.ts'
import { drawPetId } from '../pets/pet-id.ts'
import type { PetStore } from '../pets/pet-store.ts'
import { operationTimeoutSeconds } from '../timeouts.ts'
import { computeFingerprint, type Reservation, type ReservationStore } from './reservations.ts'

/** Time for which an idempotency key is reserved. */
const reservedSeconds = 24 * 60 * 60

/**
 * Time for which retries wait for the first request. It is longer than the function may run. The end of the lock does
 * not prove that the first request has ended: Lambda freezes an instance with its calls and may resume them minutes
 * later ("Lambda execution environment lifecycle").
 */
const lockedSeconds = 1.5 * operationTimeoutSeconds

/** One request to add the pet of an idempotency key. */
interface Creation {
  readonly pets: PetStore
  readonly reservations: ReservationStore
  readonly reservationId: string
  readonly newPet: NewPet
  readonly clock: Clock
}

/**
 * Adds the pet of an idempotency key once, also when requests fail or are retried. The first request costs one write
 * more than without the key. A retry costs a write and a read, and three writes more when the pet is not stored yet.
 *
 * @throws ServiceError `idempotency_key_reused` if the key was first used with another body, `idempotency_key_in_use`
 * while the first request may still be running
 */
export const addPetOnce = async (
  stores: Pick<Creation, 'pets' | 'reservations'>,
  reservationId: string,
  newPet: NewPet,
  clock: Clock,
): Promise<AddedPet> => {
  const { pets, reservations } = stores
  const creation: Creation = { pets, reservations, reservationId, newPet, clock }
  const now = toSeconds(clock())
  const newReservation: Reservation = {
    petId: drawPetId(clock()),
    attemptId: drawAttemptId(),
    fingerprint: computeFingerprint(newPet),
    lockedUntil: now + lockedSeconds,
    expiresAt: now + reservedSeconds,
  }

  const first = await reserveAndAdd(creation, newReservation)
  if (first.kind === 'added') return first.added

  const { existing } = first
  if (existing.fingerprint !== newReservation.fingerprint) throw new ServiceError('idempotency_key_reused')
  if (await pets.isStored(existing.petId, existing.attemptId)) return replay(creation, existing)
  if (now < existing.lockedUntil) {
    throw new ServiceError('idempotency_key_in_use', { headers: { 'Retry-After': '1' } })
  }
  return addAfterLock(creation, existing)
}

type FirstAttempt =
  | { readonly kind: 'added'; readonly added: AddedPet }
  | { readonly kind: 'already reserved'; readonly existing: Reservation }

/** Reserves the key and adds the pet, unless an earlier request has reserved the key. */
const reserveAndAdd = async (creation: Creation, newReservation: Reservation): Promise<FirstAttempt> => {
  const { reservations, reservationId, clock } = creation
  try {
    const existing = await reservations.reserve(reservationId, newReservation, toSeconds(clock()))
    if (existing !== undefined) return { kind: 'already reserved', existing }

    const { pet } = await storePet(creation, newReservation)
    // Not a replay, even if the SDK repeated a call whose response was lost.
    return { kind: 'added', added: { pet, replayed: false } }
  } catch (error) {
    // Ends the lock, because retries need not wait for a request that has ended. If this write fails, the lock expires.
    await reservations.unlock(reservationId, newReservation).catch(() => undefined)
    throw error
  }
}

/** Returns the pet of the first response. Operators may have changed or removed the stored pet since. */
const replay = ({ newPet }: Creation, { petId }: Reservation): AddedPet => ({
  pet: assignPetId(petId, newPet),
  replayed: true,
})

/**
 * Adds the pet that earlier requests have not stored, under a new id: callers that poll the newest page would miss the
 * old one. The old id becomes void first, so that a late put of an earlier request adds no second pet.
 */
const addAfterLock = async (creation: Creation, reservation: Reservation): Promise<AddedPet> => {
  const { pets, reservations, reservationId, clock } = creation

  const isStored = await pets.voidId(reservation.petId, reservation.attemptId)
  if (isStored) return replay(creation, reservation)

  const petId = await reservations.replacePetId(reservationId, reservation, drawPetId(clock()))
  return storePet(creation, { ...reservation, petId })
}

/** Stores the pet under the id of the reservation. Replaces the id in the reservation while the id is taken or void. */
const storePet = (creation: Creation, reservation: Reservation): Promise<AddedPet> => {
  const { pets, reservations, reservationId, newPet, clock } = creation
  const replaceTakenId = (takenId: bigint): Promise<bigint> =>
    reservations.replacePetId(reservationId, { ...reservation, petId: takenId }, drawPetId(clock()))

  return putUnderFreeId(pets, newPet, reservation.attemptId, reservation.petId, replaceTakenId)
}

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000)
