import type { KnownFault } from './known-fault.ts'

const addPetOnce = 'test/unit/shared/idempotency/add-pet-once.test.ts'

/** Faults of creations with an `Idempotency-Key`. */
export const idempotency: readonly KnownFault[] = [
  {
    title: 'a request that is sent again adds another pet',
    file: 'functions/create-pet/create-pet.ts',
    find: 'if (idempotencyKey === undefined) {',
    replaceBy: 'if (idempotencyKey !== null) {',
    test: 'test/unit/functions/requests.test.ts',
  },
  {
    title: 'another body gets the response of the first one',
    file: 'shared/idempotency/add-pet-once.ts',
    find: "if (reservation.fingerprint !== newReservation.fingerprint) throw new ServiceError('idempotency_key_reused')",
    replaceBy: '',
    test: addPetOnce,
  },
  {
    title: 'a request that is sent again later stores its pet under an old id, which followers miss',
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'age > maximumIdAgeMilliseconds',
    replaceBy: 'age === Number.POSITIVE_INFINITY',
    test: addPetOnce,
  },
  {
    title: 'an idempotency key is forgotten within its day',
    file: 'shared/idempotency/add-pet-once.ts',
    find: '24 * 60 * 60 + 60',
    replaceBy: '23 * 60 * 60',
    test: addPetOnce,
  },
  {
    title: 'the first request says that it is a replay',
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'replayed: replayed && existing !== undefined',
    replaceBy: 'replayed',
    test: addPetOnce,
  },
  {
    title: 'an idempotency key that has expired replays a pet of the day before',
    file: 'shared/idempotency/reservations.ts',
    find: 'attribute_not_exists(id) OR expiresAt <= :now',
    replaceBy: 'attribute_not_exists(id) OR expiresAt = :now',
    test: addPetOnce,
  },
  {
    title: 'customers share their idempotency keys',
    file: 'shared/idempotency/reservations.ts',
    find: '`${scope}#${hashText(idempotencyKey)}`',
    replaceBy: 'hashText(idempotencyKey)',
    test: 'test/unit/shared/idempotency/reservations.test.ts',
  },
  {
    title: 'a body whose fields come in another order is refused as another one',
    file: 'shared/idempotency/reservations.ts',
    find: 'const fields = newPetFields.filter(',
    replaceBy: 'const fields = (Object.keys(body) as NewPetField[]).filter(',
    test: 'test/unit/shared/idempotency/reservations.test.ts',
  },
  {
    title: 'a request fails because another with its Idempotency-Key is running',
    file: 'shared/idempotency/add-pet-once.ts',
    find: '  const reservation = existing ?? newReservation\n',
    replaceBy:
      "  const reservation = existing ?? newReservation\n  if (existing && now < readDrawTime(existing.petId) + 15_000) throw new ServiceError('service_unavailable')\n",
    test: addPetOnce,
  },
]
