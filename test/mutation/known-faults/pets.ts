import type { KnownFault } from './known-fault.ts'

const lists = 'test/unit/shared/pets/lists.test.ts'
const store = 'test/unit/shared/pets/pet-table.test.ts'

/** Faults of the animals as callers see them. */
export const pets: readonly KnownFault[] = [
  {
    title: 'a new pet replaces another with the same id',
    file: 'shared/pets/pet-table.ts',
    find: "ConditionExpression: 'attribute_not_exists(id)',",
    replaceBy: "ConditionExpression: 'attribute_not_exists(id) OR attribute_exists(id)',",
    test: store,
  },
  {
    title: 'a lost response of the database adds a pet twice',
    file: 'shared/pets/pet-table.ts',
    find: "return outcome.current['attemptId'] === attemptId",
    replaceBy: 'return false',
    test: store,
  },
  {
    title: 'a list repeats a pet while the index follows a change of its status',
    file: 'shared/pets/pet-table.ts',
    find: '.filter(({ id }, index, all) => id !== all[index - 1]?.id)',
    replaceBy: '',
    test: lists,
  },
  {
    title: 'a list shows the status that a pet had before',
    file: 'shared/pets/pet-table.ts',
    find: 'countChanges(other) - countChanges(one)',
    replaceBy: 'countChanges(one) - countChanges(other)',
    test: lists,
  },
  {
    title: 'a list has the oldest pets first',
    file: 'shared/pets/pet-table.ts',
    find: 'return one.id < other.id ? 1 : -1',
    replaceBy: 'return one.id < other.id ? -1 : 1',
    test: lists,
  },
  {
    title: 'the next page repeats the last pet of a page',
    file: 'shared/pets/pet-table.ts',
    find: 'id < :before',
    replaceBy: 'id <= :before',
    test: 'test/unit/shared/pets/pet-table.test.ts',
  },
  {
    title: 'a page that is exactly full has no link to the next one',
    file: 'shared/pets/pet-table.ts',
    find: 'limit: limit + 1,',
    replaceBy: 'limit,',
    test: store,
  },
  {
    title: 'a pet is not found right after it was added',
    file: 'shared/pets/pet-table.ts',
    find: 'Key: { id }, ConsistentRead: true',
    replaceBy: 'Key: { id }',
    test: 'test/unit/shared/pets/pet-table.test.ts',
  },
  {
    title: 'a list without a status leaves out the sold pets',
    file: 'shared/pets/pet.ts',
    find: "['available', 'pending', 'sold'] as const satisfies",
    replaceBy: "['available', 'pending'] as const satisfies",
    test: lists,
  },
  {
    title: 'two pets of one millisecond get one id more often than need be',
    file: 'shared/pets/pet-id.ts',
    find: 'const idsPerMillisecond = 4_096',
    replaceBy: 'const idsPerMillisecond = 8_192',
    test: 'test/unit/shared/pets/pet.test.ts',
  },
  {
    title: 'a cursor that was changed by hand is accepted',
    file: 'shared/pets/cursor.ts',
    find: ' || encodeCursor(petId) !== cursor',
    replaceBy: '',
    test: 'test/unit/shared/pets/cursor.test.ts',
  },
]
