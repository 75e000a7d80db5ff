import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type NewPet, type NewPetField, newPetDefaults, newPetFields, petStatuses } from '../../../shared/pets/pet.ts'
import { formatExamples } from '../../command-line/command.ts'
import { resolveOperatorPath } from '../../command-line/operator-path.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { ChangeAudit } from '../environment/change-audit.ts'
import {
  type CommandOptions,
  createAuditedCommand,
  runAuditedCommand,
  runEnvironmentCommand,
} from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { addPet } from './add.ts'
import { exportPets } from './export.ts'
import { importPets } from './import.ts'
import { listPets } from './list.ts'
import { collectWords, readChangeIds, readPetIds } from './pet-ids.ts'
import { removePets } from './remove.ts'
import { restorePets } from './restore.ts'
import { checkValue } from './rows/check-row.ts'
import { standardInput } from './rows/read-text.ts'
import { setPets } from './set.ts'
import { showPets } from './show.ts'
import { addSyncCommands } from './sync/sync-commands.ts'
import { undoChanges } from './undo.ts'

const description =
  'Adds, lists, shows, changes and removes pets. Files are CSV, or JSON Lines where their name ends in .jsonl.'

const petIdsDescription = 'ids of the pets; "-" reads them from standard input, the first word of each line'

/** The command line of `npm run pets`. */
export const createPetsCommand = () => {
  const tool = createAuditedCommand('npm run --silent pets --', description)

  const add = tool.command('add').description('add one pet. Running the command again adds another one')
  for (const field of newPetFields) add.addOption(createFieldOption(field))
  add.addHelpText('after', formatExamples('npm run pets -- add --name Bella --category 1 --env staging'))
  add.action((_addOptions, command) => {
    const options = command.optsWithGlobals()
    const newPet = readNewPet(options)
    return runAuditedCommand(options, (environment, operator) =>
      addPet(environment, new ChangeAudit(environment, operator), newPet),
    )
  })

  tool
    .command('list')
    .description(
      'pets, the newest first: id, status, category, the id of the key that added it, and name; with --json as JSON Lines',
    )
    .option('--name <part>', 'only pets whose name contains this')
    .option('--category <id>', 'only pets of one category', parseCategory)
    .addOption(new Option('--status <name>', 'only pets of one status').choices(petStatuses))
    .option('--added-by <key>', 'only pets that the API key with this id has added', parseKeyId)
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

  tool
    .command('show')
    .argument('<id...>', petIdsDescription, collectWords)
    .description('some pets, each with its source and reference, the key that added it and its latest change')
    .action(async (words, _showOptions, command) => {
      const ids = await readPetIds(words)
      return runEnvironmentCommand(command.optsWithGlobals(), (environment) => showPets(environment, ids))
    })

  const set = tool.command('set').argument('<id...>', petIdsDescription, collectWords).description('change pets')
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
    return runAuditedCommand(options, (environment, operator) =>
      setPets(environment, new ChangeAudit(environment, operator), ids, values),
    )
  })

  tool
    .command('remove')
    .argument('<id...>', petIdsDescription, collectWords)
    .description('remove pets; "undo" with the ids of the changes brings them back')
    .action(async (words, _removeOptions, command) => {
      const ids = await readPetIds(words)
      return runAuditedCommand(command.optsWithGlobals(), (environment, operator) =>
        removePets(environment, new ChangeAudit(environment, operator), ids),
      )
    })

  tool
    .command('export')
    .description('all pets, the newest first; with --json as JSON Lines')
    .addOption(new Option('--status <name>', 'only pets of one status').choices(petStatuses))
    .option('--table <name>', 'a copy of the pets table that was restored to a point in time')
    .option('--out <file>', 'a new file instead of standard output', resolveOperatorPath)
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

  tool
    .command('import')
    .argument('<file>', 'an edited export; "-" is standard input', resolveInputPath)
    .option('--dry-run', 'only show what would be done')
    .description(
      'make the edits of an export. A pet that somebody else has changed since is a conflict, and stays as it is ' +
        '(exit code 3). New versions of the rows are printed',
    )
    .action((file, { dryRun = false }, command) =>
      runFileCommand(command.optsWithGlobals(), dryRun, (environment, audit) => importPets(environment, audit, file)),
    )

  tool
    .command('restore')
    .argument('<file>', 'an export; "-" is standard input', resolveInputPath)
    .option('--dry-run', 'only show what would be replaced')
    .description('set each pet to its row in an export, also over later changes. Removed pets return under their ids')
    .action((file, { dryRun = false }, command) =>
      runFileCommand(command.optsWithGlobals(), dryRun, (environment, audit) => restorePets(environment, audit, file)),
    )

  tool
    .command('undo')
    .argument('<change...>', 'ids of changes; "-" reads the lines of "audit --json" from standard input', collectWords)
    .option('--dry-run', 'only show what would be undone')
    .description(
      'set pets to what they were before the oldest of these changes. A pet that somebody has changed after the ' +
        'newest one is a conflict, and stays as it is (exit code 3)',
    )
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent audit -- --who alice --since 2h --env staging --json | npm run pets -- undo - --env staging',
      ),
    )
    .action(async (words, { dryRun = false }, command) => {
      const changeIds = await readChangeIds(words)
      return runFileCommand(command.optsWithGlobals(), dryRun, (environment, audit) =>
        undoChanges(environment, audit, changeIds),
      )
    })

  addSyncCommands(tool)
  return tool
}

/** Runs a command that has a dry run. The dry run gets no audit, and needs no confirmation. */
const runFileCommand = (
  options: CommandOptions,
  isDryRun: boolean,
  run: (environment: Environment, audit: ChangeAudit | undefined) => ReturnType<typeof importPets>,
): Promise<void> =>
  isDryRun
    ? runEnvironmentCommand(options, (environment) => run(environment, undefined))
    : runAuditedCommand(options, (environment, operator) => run(environment, new ChangeAudit(environment, operator)))

const resolveInputPath = (path: string): string => (path === standardInput ? path : resolveOperatorPath(path))

/** Name of the option for a field, for example `category` for `categoryId`. */
const getOptionName = (field: NewPetField): string => field.replace(/Id$/, '')

const createFieldOption = (field: NewPetField) =>
  new Option(`--${getOptionName(field)} <value>`, `its ${field}`).argParser((text) => parsePetValue(field, text))

const parsePetValue = (field: NewPetField, text: string): unknown => {
  const { value, mistake } = checkValue(field, text)
  if (mistake === undefined) return value
  throw new InvalidArgumentError(`It ${mistake}.`)
}

const parseKeyId = (text: string): string => {
  if (/^key_\w+$/.test(text)) return text
  throw new InvalidArgumentError('It must be the id of an API key, which "npm run keys -- show" prints.')
}

const parseCategory = (text: string): bigint => {
  const category = parsePetValue('categoryId', text)
  // The contract's validator accepts only integers, which are read as bigint.
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

/** Reads a new pet, with the defaults of one. */
const readNewPet = (options: object): NewPet => {
  const values: Partial<NewPet> = { ...newPetDefaults, ...readPetValues(options) }
  for (const field of newPetFields) {
    const { mistake } = checkValue(field, values[field])
    if (mistake !== undefined) throw new UsageError(`--${getOptionName(field)} ${mistake}.`)
  }
  // Each field that a pet needs has a value.
  return values as NewPet
}
