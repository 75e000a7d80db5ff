import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { newPetFields, petStatuses } from '../../../shared/pets/pet.ts'
import { parseWholeNumber } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import { createEnvironmentTool, runChangeCommand, runReadCommand } from '../environment/environment-command.ts'
import type { Environment } from '../environment/open-environment.ts'
import { exportPets } from './export.ts'
import { resolveAbsolutePath } from './files.ts'
import { deployedPerSecond, importPets } from './import.ts'
import { checkValue, idRule, readId } from './rows/check-row.ts'
import { removePets, setPet, showPets } from './some-pets.ts'

const description =
  'Exports, imports, shows, changes and removes pets. Files are CSV, or JSON Lines where their name ends in .jsonl.'

const petId = (text: string): bigint => {
  const id = readId(text)
  if (id !== undefined) return id
  throw new InvalidArgumentError(`It must be ${idRule}.`)
}

const petIds = (text: string, others: readonly bigint[] = []): readonly bigint[] => [
  ...new Set([...others, petId(text)]),
]

/** The command line of `npm run pets`. */
export const createPetsTool = () => {
  const pets = createEnvironmentTool('npm run --silent pets --', description)
  pets
    .command('export')
    .description('all pets, the newest first; with --json as JSON Lines')
    .addOption(new Option('--status <name>', 'only those of one status').choices(petStatuses))
    .option('--out <file>', 'a file instead of standard output', resolveAbsolutePath)
    .action((_asked, command) => {
      const options = command.optsWithGlobals()
      return runReadCommand(options, (environment) => exportPets(environment, options))
    })
  pets
    .command('import')
    .argument('<file>', 'rows without an id, and changed rows of an export', resolveAbsolutePath)
    .description('add the rows without an id, and change the pets of those with one')
    .addOption(new Option('--dry-run', 'only show what would be done').conflicts('out'))
    .option('--restore', 'add a row whose id no pet has under that id')
    .option('--overwrite', 'change pets also where somebody else has changed them since the export')
    .option(
      '--per-second <n>',
      `pets written a second, at most (default: ${deployedPerSecond} on AWS, no limit locally)`,
      parseWholeNumber(1, 100_000),
    )
    .option('--out <file>', 'for the rows with their ids (default: beside the file)', resolveAbsolutePath)
    .action((file, { dryRun = false, ...asked }, command) => {
      const options = command.optsWithGlobals()
      const run = (environment: Environment, audit?: Audit) => importPets(environment, audit, { ...asked, file })
      return dryRun ? runReadCommand(options, (environment) => run(environment)) : runChangeCommand(options, run)
    })
  pets
    .command('show')
    .argument('<id...>', 'of the pets', petIds)
    .description('some pets')
    .action((ids, _options, command) =>
      runReadCommand(command.optsWithGlobals(), (environment) => showPets(environment, ids)),
    )
  const set = pets.command('set').argument('<id>', 'of the pet', petId).description('change one pet')
  for (const field of newPetFields) {
    const read = (text: string) => {
      const { value, mistake } = checkValue(field, text)
      if (mistake === undefined) return { [field]: value }
      throw new InvalidArgumentError(`It ${mistake}.`)
    }
    set.option(`--${field.replace(/Id$/, '')} <value>`, `its ${field}`, read)
  }
  set.action((id, given, command) => {
    const values = Object.assign({}, ...Object.values(given))
    if (Object.keys(values).length === 0) throw new UserError('Give a value to change: --help shows the options.')
    return runChangeCommand(command.optsWithGlobals(), (environment, audit) => setPet(environment, audit, id, values))
  })
  pets
    .command('remove')
    .argument('<id...>', 'of the pets', petIds)
    .description('remove pets')
    .option('--out <file>', 'keep what is removed, for "import --restore"', resolveAbsolutePath)
    .action((ids, { out }, command) =>
      runChangeCommand(command.optsWithGlobals(), (environment, audit) => removePets(environment, audit, ids, out)),
    )
  return pets
}
