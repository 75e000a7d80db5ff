import { Option } from '@commander-js/extra-typings'
import { type PetStatus, petStatuses } from '../../../shared/pets/pet.ts'
import {
  confirmOption,
  confirmProduction,
  dataOption,
  defaultDataFolder,
  environmentFlags,
  environmentOption,
  jsonOption,
  oneOf,
  required,
  wholeNumber,
  whyOption,
} from '../../command-line/options.ts'
import { tool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environmentNames } from '../../environments.ts'
import type { Target } from '../target/open-database.ts'
import { readId } from './check-row.ts'
import { type Format, formatOf } from './format.ts'

/** What the command line asks for. */
export type PetCommand = Target & { readonly json: boolean; readonly why: string | undefined } & PetAction

export interface ImportAction {
  readonly action: 'import'
  /** `-` for standard input. */
  readonly file: string
  readonly dryRun: boolean
  /** Whether a row whose id no pet has is added under that id. */
  readonly restore: boolean
  readonly out: string | undefined
  /** Pets a second, at most. */
  readonly perSecond: number | undefined
}

export interface ExportAction {
  readonly action: 'export'
  readonly status: PetStatus | undefined
  readonly format: Format
  readonly out: string | undefined
}

export interface SetAction {
  readonly action: 'set'
  readonly id: bigint
  /** As they are written: the contract's validators judge them. */
  readonly changes: { readonly name?: string; readonly categoryId?: string; readonly status?: string }
}

export interface RemoveAction {
  readonly action: 'remove'
  readonly ids: readonly bigint[]
  readonly isConfirmed: boolean
  readonly out: string | undefined
}

export type PetAction =
  | ExportAction
  | ImportAction
  | SetAction
  | RemoveAction
  | { readonly action: 'show'; readonly ids: readonly bigint[] }
  | { readonly action: 'count' }

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
  const pets = tool('npm run --silent pets --', 'Brings pets in, keeps them right, and gets them out.')
    .addOption(environmentOption(['local', ...environmentNames]))
    .addOption(dataOption)
    .addOption(jsonOption)
    .addOption(whyOption)
    .addOption(confirmOption('to change pets of production'))
    .addHelpText('after', notes)
  const take = (action: PetAction, isChange: boolean): void => {
    const { env, data = defaultDataFolder, json = false, why, confirm } = pets.opts()
    const environment = required(env, environmentFlags)
    if (isChange) confirmProduction(environment, confirm)
    read.push({ environment, data, json, why, ...action })
  }
  pets
    .command('export')
    .description('all pets, the newest first')
    .option('--status <name>', 'only those of one status', oneOf(petStatuses))
    .option('--format <csv|jsonl>', 'csv for spreadsheets (the default), or jsonl', oneOf(['csv', 'jsonl']))
    .addOption(outOption('a file instead of standard output'))
    .action(({ status, format, out }) => {
      if (pets.opts().json === true && out === undefined) throw new UserError('--json needs --out here.')
      take({ action: 'export', status, format: format ?? formatOf(out), out }, false)
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
      const limit = perSecond ?? (pets.opts().env === 'local' ? undefined : deployedPerSecond)
      take({ action: 'import', file, dryRun, restore, out, perSecond: limit }, !dryRun)
    })
  pets
    .command('show <id...>')
    .description('some pets')
    .action((ids) => take({ action: 'show', ids: ids.map(readIdOption) }, false))
  pets
    .command('set <id>')
    .description('change one pet')
    .option('--status <name>', 'its status')
    .option('--name <text>', 'its name')
    .option('--category <number>', 'its category')
    .action((id, { category, ...others }) => {
      const changes = { ...others, ...(category !== undefined && { categoryId: category }) }
      if (Object.keys(changes).length === 0) throw new UserError('Give --status, --name or --category.')
      take({ action: 'set', id: readIdOption(id), changes }, true)
    })
  pets
    .command('remove <id...>')
    .description('remove pets')
    .option('--yes', 'do not ask; not for production')
    .addOption(outOption('keep what is removed, for "import --restore"'))
    .action((ids, { yes = false, out }) => {
      if (yes && pets.opts().env === 'production')
        throw new UserError('Production does not take --yes: answer the question.')
      take({ action: 'remove', ids: [...new Set(ids.map(readIdOption))], isConfirmed: yes, out }, true)
    })
  pets
    .command('count')
    .description('how many there are, by status')
    .action(() => take({ action: 'count' }, false))
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
