import type { KnownFault } from './known-fault.ts'

const petTable = 'test/unit/infra/operations/pets/pet-table.test.ts'

/** Faults of the commands for animals. */
export const petsCommand: readonly KnownFault[] = [
  {
    title: 'a removed pet comes back with a late request',
    file: 'infra/operations/pets/pet-table.ts',
    find: '...(pet ?? { [removed]: true }),',
    replaceBy: '...pet,',
    test: petTable,
  },
]
