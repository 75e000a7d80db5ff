import { Option } from '@commander-js/extra-typings'
import { petStatuses } from '../../../shared/pets/pet.ts'
import { confirmOption, confirmProduction, oneOf, wholeNumber, whyOption } from '../../command-line/options.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { readTarget, type Target, targetTool } from '../target/target-tool.ts'
import { countPets, exportPets, removePets, setPet, showPets, type Workplace } from './actions.ts'
import { readId } from './check-row.ts'
import { formatOf } from './format.ts'
import { importPets } from './import-action.ts'

/** What the command line asks for. */
export interface PetCommand {
  readonly target: Target
  readonly json: boolean
  readonly why: string | undefined
  /** @returns undefined where the pets themselves are the output */
  readonly run: (place: Workplace) => Promise<Report | undefined>
}

/** In AWS the status index takes 1,000 writes a second of one status. The other half is for callers. */
const deployedPerSecond = 500

const notes = `
Files are CSV, or JSON Lines where their name ends in .jsonl. Each change is recorded in the audit of the environment.
The AWS SDK's own settings apply, such as AWS_PROFILE and AWS_REGION.

Exit codes: 0 done; 1 not done, or not all, for the reason that is printed; 130 interrupted.`

/** @throws UserError that says what to change. */
export const readPetCommand = (line: readonly string[]): PetCommand => {
  const read: PetCommand[] = []
  const outOption = (what: string) => new Option('--out <file>', what)
  const pets = targetTool('npm run --silent pets --', 'Exports, imports, shows, changes, removes and counts pets.')
    .addOption(whyOption)
    .addOption(confirmOption('to change pets of production'))
    .addHelpText('after', notes)
  const take = (run: PetCommand['run'], isChange: boolean): void => {
    const { json = false, why, confirm, ...options } = pets.opts()
    const target = readTarget(options)
    if (isChange) confirmProduction(target.environment, confirm)
    read.push({ target, json, why, run })
  }
  pets
    .command('export')
    .description('all pets, the newest first')
    .option('--status <name>', 'only those of one status', oneOf(petStatuses))
    .option('--format <csv|jsonl>', 'csv for spreadsheets (the default), or jsonl', oneOf(['csv', 'jsonl']))
    .addOption(outOption('a file instead of standard output'))
    .action(({ status, out, format = formatOf(out) }) => {
      if (pets.opts().json === true && out === undefined) throw new UserError('--json needs --out here.')
      take((place) => exportPets(place, status, format, out), false)
    })
  pets
    .command('import <file>')
    .description('create the rows without an id, and change the pets of those with one; - is standard input')
    .option('--dry-run', 'only show what would be done')
    .option('--restore', 'add a row whose id no pet has under that id')
    .option(
      '--per-second <n>',
      `pets a second, at most (default: ${deployedPerSecond} in AWS, no limit locally)`,
      wholeNumber(1, 100_000),
    )
    .addOption(outOption('give the rows back with their new ids'))
    .action((file, { dryRun = false, restore = false, perSecond, out }) => {
      const { env, json = false } = pets.opts()
      const limit = perSecond ?? (env === 'local' ? undefined : deployedPerSecond)
      take((place) => importPets(place, { file, dryRun, restore, out, perSecond: limit, json }), !dryRun)
    })
  pets
    .command('show <id...>')
    .description('some pets')
    .action((texts) => {
      const ids = texts.map(readIdOption)
      take((place) => showPets(place, ids), false)
    })
  pets
    .command('set <id>')
    .description('change one pet')
    .option('--status <name>', 'its status')
    .option('--name <text>', 'its name')
    .option('--category <number>', 'its category')
    .action((text, { category, ...others }) => {
      const id = readIdOption(text)
      const changes = { ...others, ...(category !== undefined && { categoryId: category }) }
      if (Object.keys(changes).length === 0) throw new UserError('Give --status, --name or --category.')
      take((place) => setPet(place, id, changes), true)
    })
  pets
    .command('remove <id...>')
    .description('remove pets')
    .option('--yes', 'do not ask; not for production')
    .addOption(outOption('keep what is removed, for "import --restore"'))
    .action((texts, { yes = false, out }) => {
      if (yes && pets.opts().env === 'production')
        throw new UserError('Production does not take --yes: answer the question.')
      const ids = [...new Set(texts.map(readIdOption))]
      take((place) => removePets(place, ids, yes, out), true)
    })
  pets
    .command('count')
    .description('how many there are, by status')
    .action(() => take(countPets, false))
  pets.parse(line, { from: 'user' })
  const [command] = read
  // Without an action, commander has thrown.
  if (command === undefined) throw new Error('No action was read.')
  return command
}

const readIdOption = (text: string): bigint => {
  const id = readId(text)
  if (id !== undefined) return id
  throw new UserError(`"${text}" is no id of a pet: it must be a whole number from 1 to 9007199254740991.`)
}
