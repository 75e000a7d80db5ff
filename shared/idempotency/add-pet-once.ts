import type { Clock } from '../clock.ts'
import { createPet as contract } from '../contract/generated/create-pet.ts'
import { ServiceError } from '../errors/service-error.ts'
import { type AddedPet, drawAttemptId, putUnderFreeId } from '../pets/add-pet.ts'
import type { NewPet, Pet } from '../pets/pet.ts'
import { drawPetId, readDrawTime } from '../pets/pet-id.ts'
import type { PetStore, PutOutcome } from '../pets/pet-store.ts'
import { operationTimeoutSeconds } from '../timeouts.ts'
import { computeFingerprint, type Reservation, type ReservationStore } from './reservations.ts'

/** Time for which an idempotency key is reserved: 24 hours, and a minute because clocks of instances differ. */
const reservedSeconds = 24 * 60 * 60 + 60

/**
 * Maximum age of an id under which a pet is stored. Callers who follow new pets read back by a minute, so they would
 * miss a pet that appears later under an old id. A request ends earlier than this, unless Lambda freezes its instance
 * with its calls and resumes them minutes later ("Lambda execution environment lifecycle").
 */
const maximumIdAgeMilliseconds = operationTimeoutSeconds * 1_000

/** One request to add the pet of an idempotency key. */
interface Creation {
  readonly pets: PetStore
  readonly reservations: ReservationStore
  readonly reservationId: string
  readonly newPet: NewPet
  readonly clock: Clock
}

/**
 * Adds the pet of an idempotency key once, also when requests fail, are retried, or run at the same time. The first
 * request costs one write more than without the key, and a retry costs two writes.
 *
 * No request waits for another. Each tries to store the same pet under the id of the reservation: one succeeds, and the
 * others find the stored pet. An id that is too old becomes void, and the reservation gets a new one. A late put under
 * the void id then fails, and continues with the new id.
 *
 * @throws ServiceError `idempotency_key_reused` if the key was first used with another body
 */
export const addPetOnce = async (
  stores: Pick<Creation, 'pets' | 'reservations'>,
  reservationId: string,
  newPet: NewPet,
  clock: Clock,
): Promise<AddedPet> => {
  const { pets, reservations } = stores
  const now = clock()
  const newReservation: Reservation = {
    petId: drawPetId(now),
    attemptId: drawAttemptId(),
    fingerprint: computeFingerprint(newPet, contract.defaults.body),
    expiresAt: toSeconds(now) + reservedSeconds,
  }

  const existing = await reservations.reserve(reservationId, newReservation, toSeconds(now))
  const reservation = existing ?? newReservation
  if (reservation.fingerprint !== newReservation.fingerprint) throw new ServiceError('idempotency_key_reused')

  const { pet, replayed } = await storePet({ pets, reservations, reservationId, newPet, clock }, reservation)
  // The first request is no replay, even if the SDK repeated a call, or a retry was faster.
  return { pet, replayed: replayed && existing !== undefined }
}

/** Stores the pet under the id of the reservation. Replaces the id in the reservation while the id is not free. */
const storePet = (creation: Creation, reservation: Reservation): Promise<AddedPet> => {
  const { reservations, reservationId, newPet, clock } = creation
  return putUnderFreeId(newPet, {
    firstId: reservation.petId,
    put: (pet) => putInTime(creation, pet, reservation.attemptId),
    drawAnotherId: (takenId) =>
      reservations.replacePetId(reservationId, { ...reservation, petId: takenId }, drawPetId(clock())),
  })
}

/** Stores a pet, unless its id is too old: then the id becomes void, so that no request stores the pet under it. */
const putInTime = ({ pets, clock }: Creation, pet: Pet, attemptId: string): Promise<PutOutcome> => {
  const age = clock() - readDrawTime(pet.id)
  return age > maximumIdAgeMilliseconds ? pets.voidId(pet.id, attemptId) : pets.put(pet, attemptId)
}

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000)
