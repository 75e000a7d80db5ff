import type { KnownFault } from './known-fault.ts'

const petTable = 'test/unit/infra/commands/pets/pet-table.test.ts'
const pets = 'test/unit/infra/commands/pets/pets.test.ts'
const changePets = 'test/unit/infra/commands/pets/change-pets.test.ts'
const importTests = 'test/unit/infra/commands/pets/import.test.ts'
const restoreAndUndo = 'test/unit/infra/commands/pets/restore-and-undo.test.ts'

/** Faults of the commands for animals. */
export const petsCommand: readonly KnownFault[] = [
  {
    title: 'a removed pet is still there, and cannot be read',
    file: 'infra/commands/pets/pet-table.ts',
    find: '...(pet ?? { [removed]: true }),',
    replaceBy: '...pet,',
    test: pets,
  },
  {
    title: 'nothing shows that a late request has added the pet that was changed since',
    file: 'infra/commands/pets/pet-table.ts',
    find: '...findHiddenAttributes(item ?? {}),',
    replaceBy: '',
    test: petTable,
  },
  {
    title: 'set changes some pets although one of its ids has none',
    file: 'infra/commands/pets/set.ts',
    find: 'await requireItems(table, ids, (item) => readStoredPet(item) !== undefined)\n',
    replaceBy: '',
    test: pets,
  },
  {
    title: 'a change undoes what another operator has changed meanwhile',
    file: 'infra/commands/pets/pet-table.ts',
    find: 'ConditionExpression: `${idCondition} AND ${condition}`,',
    replaceBy: 'ConditionExpression: `${idCondition} AND (${condition} OR attribute_exists(id))`,',
    test: changePets,
  },
  {
    title: 'a command writes more pets in a second than callers can spare',
    file: 'infra/commands/pets/change-pets.ts',
    find: 'if (context.audit !== undefined) await pacer.waitToBegin(writeCount)',
    replaceBy: '',
    test: changePets,
  },
  {
    title: 'a command takes AWS for a laptop, where pets are written as fast as they can',
    file: 'infra/commands/pets/change-pets.ts',
    find: 'createPetPacer(context.environment, context.time)',
    replaceBy: "createPetPacer({ ...context.environment, name: 'local' }, context.time)",
    test: changePets,
  },
  {
    title: 'an export overwrites a file that is there',
    file: 'infra/commands/pets/export.ts',
    find: 'if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {',
    replaceBy: "if (file === '' && lstatSync(file) !== undefined) {",
    test: pets,
  },
  {
    title: 'an import undoes what somebody else has changed since the export',
    file: 'infra/commands/pets/import.ts',
    find: 'if (row.version === computeVersion({ ...current.value, ...origin })) return',
    replaceBy: 'if (row.version !== undefined) return',
    test: importTests,
  },
  {
    title: 'a row that nobody has edited is a conflict',
    file: 'infra/commands/pets/import.ts',
    find: 'rows.filter(({ isAsExported }) => !isAsExported)',
    replaceBy: 'rows.filter(({ isAsExported }) => isAsExported !== undefined)',
    test: importTests,
  },
  {
    title: 'a number that a spreadsheet has rounded is imported',
    file: 'infra/commands/pets/import.ts',
    find: '&& isRounded(given, exported)) {',
    replaceBy: '&& given === exported && isRounded(given, exported)) {',
    test: importTests,
  },
  {
    title: 'a pet is moved to another shelter by a spreadsheet',
    file: 'infra/commands/pets/import.ts',
    find: 'if (source !== origin?.source || reference !== origin?.reference) {',
    replaceBy: 'if (source === null || reference === null) {',
    test: importTests,
  },
  {
    title: 'undo takes back what somebody has changed later',
    file: 'infra/commands/pets/undo.ts',
    find: 'if (isLatestListed) return',
    replaceBy: 'if (made.length > 0 || isLatestListed) return',
    test: restoreAndUndo,
  },
  {
    title: 'undo takes back a change that was never made',
    file: 'infra/commands/pets/undo.ts',
    find: "outcome === 'made' || changeId === latest",
    replaceBy: 'outcome.length > 0 || changeId === latest',
    test: restoreAndUndo,
  },
  {
    title: 'undo of several changes goes back to the last one only',
    file: 'infra/commands/pets/undo.ts',
    find: '(one.changeId < other.changeId ? -1 : 1)',
    replaceBy: '(one.changeId < other.changeId ? 1 : -1)',
    test: restoreAndUndo,
  },
  {
    title: 'a backup that somebody has edited is restored as it is',
    file: 'infra/commands/pets/restore.ts',
    find: 'if (version === undefined || isAsExported) return undefined',
    replaceBy: 'if (version !== null || isAsExported) return undefined',
    test: restoreAndUndo,
  },
  {
    title: "a restored pet has lost its shelter's number",
    file: 'infra/commands/pets/restore.ts',
    find: "{ kind: 'write', pet, origin }",
    replaceBy: "{ kind: 'write', pet }",
    test: restoreAndUndo,
  },
  {
    title: 'a pet that lacks a field cannot be changed',
    file: 'shared/dynamodb/document-client.ts',
    find: 'removeUndefinedValues: true',
    replaceBy: 'removeUndefinedValues: false',
    test: 'test/unit/infra/commands/pets/malformed-pets.test.ts',
  },
]
