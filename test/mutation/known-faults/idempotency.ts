import type { KnownFault } from './known-fault.ts'

const addPetOnce = 'test/unit/shared/idempotency/add-pet-once.test.ts'

const record = 'test/unit/shared/idempotency/idempotency-record.test.ts'

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
    find: "if (firstFingerprint !== fingerprint) throw new ServiceError('idempotency_key_reused')",
    replaceBy: '',
    test: addPetOnce,
  },
  {
    title: 'a transaction in progress is sent again as another one',
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'if (!(error instanceof TransactionInProgressException)) ',
    replaceBy: '',
    test: addPetOnce,
  },
  {
    title: 'an idempotency key is forgotten within its day',
    file: 'shared/idempotency/idempotency-record.ts',
    find: '24 * 60 * 60 + 60',
    replaceBy: '23 * 60 * 60',
    test: addPetOnce,
  },
  {
    title: 'the first request says that it is a replay when its response was lost',
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'replayed: firstAttemptId !== attemptId',
    replaceBy: 'replayed: true',
    test: addPetOnce,
  },
  {
    title: 'an idempotency key that has expired replays a pet of the day before',
    file: 'shared/idempotency/idempotency-record.ts',
    find: 'attribute_not_exists(id) OR expiresAt <= :now',
    replaceBy: 'attribute_not_exists(id) OR expiresAt = :now',
    test: addPetOnce,
  },
  {
    title: 'a second request with an idempotency key adds another pet',
    file: 'shared/idempotency/idempotency-record.ts',
    find: 'attribute_not_exists(id) OR expiresAt <= :now',
    replaceBy: 'attribute_not_exists(id) OR expiresAt > :now OR expiresAt <= :now',
    test: addPetOnce,
  },
  {
    title: 'customers share their idempotency keys',
    file: 'shared/idempotency/idempotency-record.ts',
    find: '`${scope}#${hashText(idempotencyKey)}`',
    replaceBy: 'hashText(idempotencyKey)',
    test: 'test/unit/functions/requests.test.ts',
  },
  {
    title: 'a body whose fields come in another order is refused as another one',
    file: 'shared/idempotency/idempotency-record.ts',
    find: 'const fields = newPetFields.filter(',
    replaceBy: 'const fields = (Object.keys(body) as NewPetField[]).filter(',
    test: record,
  },
  {
    title: 'a request fails because another transaction writes its items',
    file: 'shared/dynamodb/unavailable.ts',
    find: "  'TransactionConflict',\n",
    replaceBy: '',
    test: addPetOnce,
  },
  {
    title: 'a request fails because DynamoDB throttles its transaction',
    file: 'shared/dynamodb/unavailable.ts',
    find: "  'ThrottlingError',\n",
    replaceBy: '',
    test: addPetOnce,
  },
  {
    title: 'a request whose id is taken is answered with the pet that has it',
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'const [, storedRecord] = unmetItems',
    replaceBy: 'const [storedRecord] = unmetItems',
    test: addPetOnce,
  },
  {
    title: 'a second request fails, because nothing tells which pet the first one has added',
    file: 'shared/idempotency/idempotency-record.ts',
    find: "ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,",
    replaceBy: '',
    test: addPetOnce,
  },
  {
    title: 'a request is told that its pet is stored when nothing is',
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'if (unmetItems === undefined) throw error',
    replaceBy: 'if (unmetItems !== undefined) return undefined',
    test: addPetOnce,
  },
  {
    title: 'a pet does not say which key has added it',
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'pets.createPut(pet, attemptId, addedBy)',
    replaceBy: 'pets.createPut(pet, attemptId)',
    test: 'test/unit/functions/requests.test.ts',
  },
]
