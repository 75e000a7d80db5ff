import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type NewPet, type NewPetField, newPetFields, petStatuses } from '../../../shared/pets/pet.ts'
import { resolveOperatorPath } from '../../command-line/operator-path.ts'
import { createWholeNumberParser, formatExamples } from '../../command-line/tool.ts'
import { UsageError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import { createEnvironmentTool, runChangeCommand, runReadCommand } from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { exportPets } from './export.ts'
import { deployedPerSecond, importPets } from './import.ts'
import { listPets } from './list.ts'
import { parsePetIds, petIdsDescription, readPetIds } from './pet-ids.ts'
import { checkValue } from './rows/check-row.ts'
import { removePets, setPets, showPets } from './some-pets.ts'
import { addSyncCommands } from './sync/sync-commands.ts'

const description =
  'Exports, imports, lists, shows, changes and removes pets. Files are CSV, or JSON Lines where their name ends in .jsonl.'

const importDescription =
  'add a pet for each row without an id, and make the edits of the other rows. Rows that were not edited ask for ' +
  'nothing. Conflicts go to a file that can be corrected and imported (exit code 3). To go on after an interruption, ' +
  'run the same command again.'

/** The command line of `npm run pets`. */
export const createPetsTool = () => {
  const tool = createEnvironmentTool('npm run --silent pets --', description)

  tool
    .command('export')
    .description('all pets, the newest first; with --json as JSON Lines')
    .addOption(new Option('--status <name>', 'only pets of one status').choices(petStatuses))
    .option('--table <name>', 'a copy of the pets table that was restored to a point in time')
    .option('--out <file>', 'a file instead of standard output', resolveOperatorPath)
    .addHelpText(
      'after',
      formatExamples(
        'npm run pets -- export --env staging --out backup.jsonl',
        'npm run pets -- export --table NAME-restored --env production --out restored.jsonl',
      ),
    )
    .action((_exportOptions, command) => {
      const options = command.optsWithGlobals()
      return runReadCommand(options, (environment) => exportPets(environment, options))
    })

  tool
    .command('import')
    .argument('<file>', 'rows without an id, and edited rows of an export', resolveOperatorPath)
    .description(importDescription)
    .addOption(new Option('--dry-run', 'only show what would be done').conflicts('out'))
    .option('--restore', 'the file is a backup: add a pet again, with its id, if no pet has the id of a row')
    .option(
      '--overwrite',
      'make edits also where somebody else has changed the pet; with --restore, undo all changes since the export',
    )
    .option(
      '--per-second <n>',
      `pets written a second, at most (default: ${deployedPerSecond} on AWS, no limit locally)`,
      createWholeNumberParser(1, 100_000),
    )
    .option(
      '--out <file>',
      'the result file, for the new pets with their ids (default: beside the file)',
      resolveOperatorPath,
    )
    .action((file, { dryRun = false, ...importOptions }, command) => {
      const options = command.optsWithGlobals()
      const importFile = (environment: Environment, audit: Audit | undefined) =>
        importPets(environment, audit, { ...importOptions, file })
      if (dryRun) return runReadCommand(options, (environment) => importFile(environment, undefined))
      return runChangeCommand(options, importFile)
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
      return runReadCommand(options, (environment) => listPets(environment, options))
    })

  tool
    .command('show')
    .argument('<id...>', petIdsDescription, parsePetIds)
    .description('some pets, each with the key that added it and its last change by an operator')
    .action(async (idWords, _showOptions, command) => {
      const ids = await readPetIds(idWords)
      return runReadCommand(command.optsWithGlobals(), (environment) => showPets(environment, ids))
    })

  const set = tool.command('set').argument('<id...>', petIdsDescription, parsePetIds).description('change pets')
  for (const field of newPetFields) {
    set.option(`--${getOptionName(field)} <value>`, `its ${field}`, (text) => parsePetValue(field, text))
  }
  set.addHelpText(
    'after',
    formatExamples(
      'npm run pets -- set ID --env staging --status sold --why "adopted by Mrs Smith"',
      'npm run pets -- set ID ID --env staging --category 3',
    ),
  )
  set.action(async (idWords, setOptions, command) => {
    const values = readPetValues(setOptions)
    if (Object.keys(values).length === 0) throw new UsageError('Give a value to change: --help shows the options.')
    const ids = await readPetIds(idWords)
    return runChangeCommand(command.optsWithGlobals(), (environment, audit) => setPets(environment, audit, ids, values))
  })

  tool
    .command('remove')
    .argument('<id...>', petIdsDescription, parsePetIds)
    .description('remove pets')
    .option('--out <file>', 'keep what is removed, for "import --restore"', resolveOperatorPath)
    .addHelpText('after', formatExamples('npm run pets -- remove ID --env staging --out removed.jsonl'))
    .action(async (idWords, { out }, command) => {
      const ids = await readPetIds(idWords)
      return runChangeCommand(command.optsWithGlobals(), (environment, audit) =>
        removePets(environment, audit, ids, out),
      )
    })

  addSyncCommands(tool)
  return tool
}

/** Name of the option of `set` for a field, for example `category` for `categoryId`. */
const getOptionName = (field: NewPetField): string => field.replace(/Id$/, '')

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

/** Reads the fields that the options of `set` give. */
const readPetValues = (setOptions: Readonly<Record<string, unknown>>): Partial<NewPet> => {
  const values: Record<string, unknown> = {}
  for (const field of newPetFields) {
    const value = setOptions[getOptionName(field)]
    if (value !== undefined) values[field] = value
  }
  // `parsePetValue` has checked each value against the contract.
  return values as Partial<NewPet>
}
