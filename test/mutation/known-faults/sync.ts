import type { KnownFault } from './known-fault.ts'

const syncTests = 'test/unit/infra/commands/pets/sync/sync.test.ts'
const planTests = 'test/unit/infra/commands/pets/sync/plan.test.ts'
const fileTests = 'test/unit/infra/commands/pets/sync/read-file.test.ts'

/** Faults of `pets sync`: adopted dogs come back, animals are lost, or a hand's correction lasts one night. */
export const sync: readonly KnownFault[] = [
  {
    title: 'a nightly file undoes what a hand has corrected',
    file: 'infra/commands/pets/sync/plan-animal.ts',
    find: 'setsAll || listing[field] !== next[field]',
    replaceBy: 'setsAll || pet[field] !== next[field]',
    test: planTests,
  },
  {
    title: 'adopted animals are removed, although the settings say that they are sold',
    file: 'infra/commands/pets/sync/sync.ts',
    find: 'const changes = compareFile(mappedRows, known.listings, missing)',
    replaceBy: "const changes = compareFile(mappedRows, known.listings, missing && 'remove')",
    test: syncTests,
  },
  {
    title: 'a cut file takes most animals of a shelter away',
    file: 'infra/commands/pets/sync/safety.ts',
    find: 'losses > total * largestLostPart',
    replaceBy: 'losses > total',
    test: planTests,
  },
  {
    title: "another shelter's file doubles the animals of a source",
    file: 'infra/commands/pets/sync/safety.ts',
    find: 'if (gains > total) {',
    replaceBy: 'if (gains > 2 * total + 100) {',
    test: planTests,
  },
  {
    title: "yesterday's slow run goes on after today's run has begun",
    file: 'infra/commands/pets/sync/listing-table.ts',
    find: "UpdateExpression: 'SET run = :run',\n        ConditionExpression: 'run = :run',",
    replaceBy: "UpdateExpression: 'SET run = :run',\n        ConditionExpression: 'attribute_exists(run)',",
    test: syncTests,
  },
  {
    title: 'animals of an older export stay in the list after --reread',
    file: 'infra/commands/pets/sync/reread.ts',
    find: 'isPetBehind: action === restoreAction',
    replaceBy: 'isPetBehind: false',
    test: 'test/unit/infra/commands/pets/sync/sync-commands.test.ts',
  },
  {
    title: 'an animal that a hand has removed returns unreported',
    file: 'infra/commands/pets/sync/write-plan.ts',
    find: 'pet === undefined ? listing.petChangeId : readChangeId(item)',
    replaceBy: 'readChangeId(item)',
    test: syncTests,
  },
  {
    title: 'a row of another length shifts its cells',
    file: 'infra/commands/pets/sync/read-file.ts',
    find: 'if (cells.length !== header.length) throw',
    replaceBy: 'if (cells.length > header.length + 9) throw',
    test: fileTests,
  },
]
