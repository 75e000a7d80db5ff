import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseInt64 } from '../../../shared/int64.ts'
import { type Pet, type PetStatus, petStatuses } from '../../../shared/pets/pet.ts'
import { claimFile } from '../../command-line/claim-file.ts'
import { inParallel } from '../../command-line/in-parallel.ts'
import { printable } from '../../command-line/printable.ts'
import { progressReport } from '../../command-line/progress-report.ts'
import { amount, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit, Change } from '../target/audit.ts'
import { checkValues } from './check-row.ts'
import { allPets } from './export-pets.ts'
import { type Format, formatOf } from './format.ts'
import { isSamePet, type PetTable, type Written } from './pet-table.ts'
import { printPets, savePets } from './write-pets.ts'

/** Where a command works: its pets, and how it records what it changes. */
export interface Workplace {
  readonly environment: string
  readonly tableName: string
  readonly table: PetTable
  readonly openAudit: () => Promise<Audit>
}

/** @returns undefined where the pets themselves are the output */
export const exportPets = async (
  { table }: Workplace,
  status: PetStatus | undefined,
  format: Format,
  out: string | undefined,
): Promise<Report | undefined> => {
  const progress = progressReport(process.stderr)
  const isShown = out !== undefined || !process.stdout.isTTY
  if (isShown) progress.begin(0, undefined)
  const pets = counted(allPets(table.store, status), () => isShown && progress.advance(1))
  try {
    if (out === undefined) await printPets(pets, format)
    else await savePets(pets, format, out)
  } finally {
    progress.end()
  }
  const count = progress.written()
  return out === undefined
    ? undefined
    : { json: { pets: count, file: out }, text: `${amount(count)} pets are in ${out}.` }
}

async function* counted(pets: AsyncIterable<Pet>, count: () => void): AsyncGenerator<Pet> {
  for await (const pet of pets) {
    count()
    yield pet
  }
}

export const showPets = async ({ table }: Workplace, ids: readonly bigint[]): Promise<Report> => {
  const pets = await findAll(table, ids)
  return { json: { pets }, text: pets.map(lineOf).join('\n') }
}

export const countPets = async ({ table }: Workplace): Promise<Report> => {
  const countedAt = new Date().toISOString()
  const counts = await table.count()
  const total = petStatuses.reduce((sum, status) => sum + counts[status], 0)
  const lines = [...petStatuses.map((status) => [status, counts[status]] as const), ['total', total] as const]
  return {
    json: { ...counts, total, countedAt },
    text: [
      ...lines.map(([name, count]) => `${name.padEnd(10)}${amount(count).padStart(12)}`),
      `Read from the index since ${countedAt}. The index may be some seconds behind the table.`,
    ].join('\n'),
  }
}

/** As they are written: the contract's validators judge them. */
interface Changes {
  readonly name?: string
  readonly categoryId?: string
  readonly status?: string
}

export const setPet = async (place: Workplace, id: bigint, changes: Changes): Promise<Report> => {
  const [old] = await findAll(place.table, [id])
  if (old === undefined) throw noPet([id])
  const pet = { id, ...changedValues(old, changes) }
  if (isSamePet(old, pet)) return { json: { old, new: pet, changed: false }, text: `The pet ${id} is like that.` }
  const audit = await place.openAudit()
  const written = await recorded(audit, { action: 'pets set', ids: [`${id}`], old, new: pet }, () =>
    place.table.change(old, pet),
  )
  if (written !== 'written')
    throw new UserError(`Somebody else has ${written} the pet ${id} meanwhile. Look at it, and run the command again.`)
  return { json: { old, new: pet, changed: true }, text: `before: ${lineOf(old)}\nnow:    ${lineOf(pet)}` }
}

const changedValues = ({ id: _id, ...old }: Pet, { categoryId, ...others }: Changes) => {
  const category = categoryId === undefined ? {} : { categoryId: parseInt64(categoryId) ?? categoryId }
  const checked = checkValues({ ...old, ...others, ...category })
  if ('values' in checked) return checked.values
  const option = (column = ''): string => (column === 'categoryId' ? '--category' : `--${column}`)
  throw new UserError(checked.mistakes.map(({ column, text }) => `${option(column)} ${text}.`).join('\n'))
}

export const removePets = async (
  { environment, table, openAudit }: Workplace,
  ids: readonly bigint[],
  isConfirmed: boolean,
  out: string | undefined,
): Promise<Report> => {
  const pets = await findAll(table, ids)
  if (out !== undefined && existsSync(out)) throw new UserError(`${out} exists. Name another file.`)
  if (!isConfirmed) {
    console.error(pets.map(lineOf).join('\n'))
    if (!(await asksYes(`Remove ${amount(pets.length)} of ${environment}?`))) throw new UserError('Nothing is removed.')
  }
  const audit = await openAudit()
  // Before they are removed, so that an interruption loses none.
  if (out !== undefined) {
    claimFile(out)
    await savePets(pets, formatOf(out), out)
  }
  const outcomes = await inParallel(pets, async (pet) => {
    const change = { action: 'pets remove', ids: [`${pet.id}`], old: pet, new: null }
    return { pet, written: await recorded(audit, change, () => table.remove(pet)) }
  })
  const left = outcomes.filter(({ written }) => written !== 'written').map(({ pet }) => pet.id)
  if (left.length > 0) {
    throw new UserError(
      `Somebody else has changed ${named(left)} meanwhile: not removed. The others are. Run the command again.`,
    )
  }
  return { json: { removed: pets }, text: pets.map((pet) => `removed ${lineOf(pet)}`).join('\n') }
}

/** A change is recorded before it is made, so that none is without its line. */
const recorded = async (audit: Audit, change: Change, write: () => Promise<Written>): Promise<Written> => {
  await audit([change])
  const written = await write()
  if (written !== 'written') await audit([{ ...change, refused: written }])
  return written
}

/** @throws UserError that names the ids that no pet has */
const findAll = async (table: PetTable, ids: readonly bigint[]): Promise<readonly Pet[]> => {
  const found = await table.find(ids)
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0) throw noPet(missing)
  return ids.flatMap((id) => found.get(id) ?? [])
}

const noPet = (ids: readonly bigint[]): UserError => new UserError(`No pet has the id ${ids.join(', ')}.`)

const named = (ids: readonly bigint[]): string =>
  ids.length === 1 ? `the pet ${ids[0]}` : `the pets ${ids.join(', ')}`

const asksYes = async (question: string): Promise<boolean> => {
  process.stderr.write(`${question} Type yes: `)
  for await (const line of createInterface({ input: process.stdin })) return line.trim().toLowerCase() === 'yes'
  return false
}

export const lineOf = ({ id, name, categoryId, status }: Pet): string =>
  `${id}  ${status.padEnd(9)}  category ${categoryId}  ${printable(name)}`
