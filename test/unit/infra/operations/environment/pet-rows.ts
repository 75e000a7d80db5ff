import type { CommandRow } from '../../../../fixtures/command-faults.ts'

/** The commands of `npm run pets` that change pets. */
export const petRows: readonly CommandRow[] = [
  {
    name: 'pets set',
    tool: 'pets',
    words: () => ['set', '5', '--status', 'sold'],
    isDone: (_world, { items }) => items.get('pet#5')?.['status'] === 'sold',
  },
  {
    name: 'pets set of two pets',
    tool: 'pets',
    words: () => ['set', '5', '6', '--status', 'pending'],
    isDone: (_world, { items }) => ['pet#5', 'pet#6'].every((pet) => items.get(pet)?.['status'] === 'pending'),
  },
  {
    name: 'pets remove',
    tool: 'pets',
    words: () => ['remove', '5', '6'],
    isDone: (_world, { items }) => ['pet#5', 'pet#6'].every((pet) => items.get(pet)?.['removed'] === true),
  },
]
