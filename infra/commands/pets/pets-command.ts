/** The command line of `npm run pets`. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type NewPet, type NewPetField, newPetDefaults, newPetFields, petStatuses } from '../../../shared/pets/pet.ts'
import { formatExamples, resolveOperatorPath } from '../../command-line/command.ts'
import type { Report } from '../../command-line/report.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { findIdOfAnimal } from '../changes/number-index.ts'
import {
  type ChangeOptions,
  commonNotes,
  confirmOption,
  createEnvironmentCommand,
  runAuditedCommand,
  runEnvironmentCommand,
  whyOption,
} from '../environment/environment-command.ts'
import { checkField } from '../files/pet-fields.ts'
import { standardInput } from '../files/read-file.ts'
import { addSyncCommands } from '../sync/sync-commands.ts'
import { addPet } from './add.ts'
import { type ChangeRequest, importPets, removePets, setPets } from './edit-pets.ts'
import { exportPets } from './export.ts'
import { listPets, showPets } from './list-and-show.ts'
import { collectWords, readChangeIds, readPetIds } from './pet-ids.ts'
import { restorePets } from './restore.ts'
import { undoChanges } from './undo.ts'

const description =
  "Adds, lists, shows, changes and removes pets, and keeps a shelter's animals as its nightly file has them."

const petIdsDescription = 'ids of the pets; "-" reads them from standard input, the first word of each line'

type PetsCommand = ReturnType<typeof createEnvironmentCommand>

export const createPetsCommand = (): PetsCommand => {
  const pets = createEnvironmentCommand('npm run --silent pets --', description).addHelpText('after', commonNotes)
  addAdd(pets)
  addList(pets)
  addShow(pets)
  addSet(pets)
  addRemove(pets)
  addExport(pets)
  addImport(pets)
  addRestore(pets)
  addUndo(pets)
  addSyncCommands(pets)
  return pets
}

const addAdd = (pets: PetsCommand): void => {
  const add = pets
    .command('add')
    .addOption(whyOption)
    .addOption(confirmOption)
    .description('add one pet. Running the command again adds another one')
  for (const field of newPetFields) add.addOption(createFieldOption(field))
  add.addHelpText('after', formatExamples('npm run pets -- add --name Bella --category 1 --env staging'))
  add.action((_addOptions, command) => {
    const options = command.optsWithGlobals()
    const newPet = readNewPet(options)
    return runAuditedCommand(options, (environment, operator) => addPet({ environment, operator }, newPet))
  })
}

const addList = (pets: PetsCommand): void => {
  pets
    .command('list')
    .description(
      'pets, the newest first: id, status, category, the id of the key that added it, and name; with --json as JSON Lines',
    )
    .option('--name <part>', 'only pets whose name contains this')
    .option('--category <id>', 'only pets of one category', parseCategory)
    .addOption(new Option('--status <name>', 'only pets of one status').choices(petStatuses))
    .option('--added-by <key>', 'only pets that the API key with this id has added', parseKeyId)
    .option('--source <name>', 'only pets of this shelter; with --json also those that are removed')
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent pets -- list --env staging --name bella --status available',
        'npm run --silent pets -- list --env staging --added-by KEY | npm run --silent pets -- remove - --env staging',
      ),
    )
    .action((_filter, command) => {
      const options = command.optsWithGlobals()
      return runEnvironmentCommand(options, (environment) => listPets(environment, options))
    })
}

const addShow = (pets: PetsCommand): void => {
  pets
    .command('show')
    .argument('[id...]', petIdsDescription, collectWords)
    .option('--source <name>', 'the shelter of an animal, in place of an id')
    .option('--number <text>', 'the number of the animal at the shelter')
    .description(
      'some pets, removed ones too, each with source and number, the key that added it and its latest change',
    )
    .action(async (words = [], _showOptions, command) => {
      const options = command.optsWithGlobals()
      const { source, number } = options
      const areIdsGiven = words.length > 0
      const isAnimalGiven = source !== undefined || number !== undefined
      if (areIdsGiven && !isAnimalGiven) {
        const ids = await readPetIds(words)
        return runEnvironmentCommand(options, (environment) => showPets(environment, ids))
      }
      if (!areIdsGiven && source && number) {
        return runEnvironmentCommand(options, async (environment) =>
          showPets(environment, [await findIdOfAnimal(environment, { source, number })]),
        )
      }
      throw new UsageError('Give an id, or --source and --number.')
    })
}

const addSet = (pets: PetsCommand): void => {
  const set = pets
    .command('set')
    .argument('<id...>', petIdsDescription, collectWords)
    .option('--dry-run', 'only show what would be changed')
    .addOption(whyOption)
    .addOption(confirmOption)
    .description('change pets. --status also shows a removed pet again')
  for (const field of newPetFields) set.addOption(createFieldOption(field))
  set.addHelpText(
    'after',
    formatExamples(
      'npm run pets -- set ID --env staging --status sold --why "adopted by Mrs Smith"',
      'npm run pets -- set ID ID --env staging --category 3',
    ),
  )
  set.action(async (words, _setOptions, command) => {
    const options = command.optsWithGlobals()
    const values = readPetValues(options)
    if (Object.keys(values).length === 0) throw new UsageError('Give a value to change: --help shows the options.')
    const ids = await readPetIds(words)
    return runChange(options, (request) => setPets(request, ids, values))
  })
}

const addRemove = (pets: PetsCommand): void => {
  pets
    .command('remove')
    .argument('<id...>', petIdsDescription, collectWords)
    .option('--dry-run', 'only show what would be removed')
    .addOption(whyOption)
    .addOption(confirmOption)
    .description('remove pets; "undo" with the ids of the changes brings them back')
    .action(async (words, _removeOptions, command) => {
      const ids = await readPetIds(words)
      return runChange(command.optsWithGlobals(), (request) => removePets(request, ids))
    })
}

const addExport = (pets: PetsCommand): void => {
  pets
    .command('export')
    .description('all pets, the newest first, as CSV for people; as JSON Lines, with --json, also what "restore" needs')
    .addOption(new Option('--status <name>', 'only pets of one status').choices(petStatuses))
    .option('--table <name>', 'a copy of the pets table that was restored to a point in time')
    .option(
      '--out <file>',
      'a new file instead of standard output: JSON Lines if its name ends in .jsonl, else CSV',
      resolveOperatorPath,
    )
    .addHelpText(
      'after',
      formatExamples(
        'npm run pets -- export --env staging --out backup.jsonl',
        'npm run pets -- export --table NAME-restored --env production --out restored.jsonl',
      ),
    )
    .action((_exportOptions, command) => {
      const options = command.optsWithGlobals()
      return runEnvironmentCommand(options, (environment) => exportPets(environment, options))
    })
}

const addImport = (pets: PetsCommand): void => {
  pets
    .command('import')
    .argument('<file>', 'an edited export as CSV; "-" is standard input', resolveInputPath)
    .option('--dry-run', 'only show what would be done')
    .addOption(whyOption)
    .addOption(confirmOption)
    .description(
      'make the edits of an export. A pet that somebody else has changed since is a conflict, and stays as it is ' +
        '(exit code 3).',
    )
    .action((file, _importOptions, command) =>
      runChange(command.optsWithGlobals(), (request) => importPets(request, file)),
    )
}

const addRestore = (pets: PetsCommand): void => {
  pets
    .command('restore')
    .argument('<file>', 'an export as JSON Lines; "-" is standard input', resolveInputPath)
    .option('--dry-run', 'only show what would be replaced')
    .addOption(whyOption)
    .addOption(confirmOption)
    .description('set each pet to its row in an export, also over later changes. Removed pets return under their ids')
    .action((file, _restoreOptions, command) =>
      runChange(command.optsWithGlobals(), (request) => restorePets(request, file)),
    )
}

const addUndo = (pets: PetsCommand): void => {
  pets
    .command('undo')
    .argument('<change...>', 'ids of changes; "-" reads the lines of "audit --json" from standard input', collectWords)
    .option('--dry-run', 'only show what would be undone')
    .addOption(whyOption)
    .addOption(confirmOption)
    .description(
      'set pets to what they were before the oldest of these changes. A pet with a later change that is not given ' +
        'is a conflict, and stays as it is (exit code 3)',
    )
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent audit -- --match alice --since 2h --env staging --json | npm run pets -- undo - --env staging',
      ),
    )
    .action(async (words, _undoOptions, command) => {
      const changeIds = await readChangeIds(words)
      return runChange(command.optsWithGlobals(), (request) => undoChanges(request, changeIds))
    })
}

/**
 * Runs a command that has a dry run. A dry run has no operator, because it changes nothing, and so it needs no
 * confirmation.
 */
const runChange = (
  { dryRun = false, ...options }: ChangeOptions & { readonly dryRun?: boolean | undefined },
  run: (request: ChangeRequest) => Promise<Report>,
): Promise<void> =>
  dryRun
    ? runEnvironmentCommand(options, (environment) => run({ environment, operator: undefined }))
    : runAuditedCommand(options, (environment, operator) => run({ environment, operator }))

const resolveInputPath = (path: string): string => (path === standardInput ? path : resolveOperatorPath(path))

/** Name of the option for a field, for example `category` for `categoryId`. */
const getOptionName = (field: NewPetField): string => field.replace(/Id$/, '')

const createFieldOption = (field: NewPetField) =>
  new Option(`--${getOptionName(field)} <value>`, `its ${field}`).argParser((text) => parsePetValue(field, text))

const parsePetValue = (field: NewPetField, text: string): unknown => {
  const check = checkField(field, text)
  if (check.kind === 'valid') return check.value
  // Commander prints this sentence after one that quotes the text.
  throw new InvalidArgumentError(`It must be ${check.rule}.`)
}

const parseKeyId = (text: string): string => {
  if (/^key_\w+$/.test(text)) return text
  throw new InvalidArgumentError('It must be the id of an API key, which "npm run keys -- show" prints.')
}

const parseCategory = (text: string): bigint => {
  const category = parsePetValue('categoryId', text)
  // `parsePetValue` reads integers as bigint, and the contract's validator accepts nothing else as a category id.
  return category as bigint
}

/** Reads the fields that options give. */
const readPetValues = (options: object): Partial<NewPet> => {
  const valuesByOption = new Map<string, unknown>(Object.entries(options))
  const values: Record<string, unknown> = {}
  for (const field of newPetFields) {
    const value = valuesByOption.get(getOptionName(field))
    if (value !== undefined) values[field] = value
  }
  // `parsePetValue` has checked each value against the contract.
  return values as Partial<NewPet>
}

/** Reads a new pet. Fields that options do not give have the defaults of new pets. */
const readNewPet = (options: object): NewPet => {
  const values: Partial<NewPet> = { ...newPetDefaults, ...readPetValues(options) }
  for (const field of newPetFields) {
    const check = checkField(field, values[field])
    if (check.kind === 'mistaken') throw new UsageError(`--${getOptionName(field)} ${check.mistake}.`)
  }
  // Each field has been checked, so none that a pet needs is missing.
  return values as NewPet
}
