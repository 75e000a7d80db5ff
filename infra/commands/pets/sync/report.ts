/** The report of `pets sync`: one line for a mail, and what a person should look at. */
import { makePrintable } from '../../../command-line/printable.ts'
import type { Report } from '../../../command-line/report.ts'
import { exitCodes } from '../../../command-line/user-error.ts'
import type { MappedRows, UnknownRow } from './map-rows.ts'
import type { MadeChange } from './write-plan.ts'

interface SyncResult {
  readonly source: string
  readonly mappedRows: MappedRows
  readonly changes: readonly MadeChange[]
  /** Animals that stay as they are, because somebody must look at them. */
  readonly unknownRows: readonly UnknownRow[]
  readonly isDryRun: boolean
  /** UTC day since which the file has had the same bytes; undefined if it is new. */
  readonly sameSince: string | undefined
  readonly today: string
}

/** UTC days on which the same bytes are given until there is a warning. */
const sameFileDays = 3

const dayMilliseconds = 86_400_000

export const createSyncReport = (result: SyncResult): Report => {
  const { source, mappedRows, changes, unknownRows, isDryRun } = result
  const counts = {
    inFile: mappedRows.animals.size + mappedRows.unknownRows.size,
    new: changes.filter(({ action }) => action === 'added').length,
    changed: changes.filter(({ action, isGone }) => action !== 'added' && !isGone).length,
    gone: changes.filter(({ isGone }) => isGone).length,
    hidden: [...mappedRows.animals.values()].filter(({ status }) => status === 'hidden').length,
    keptByHand: changes.filter(({ keptFields }) => keptFields.length > 0).length,
    unknown: unknownRows.length,
  }
  const warnings = isOldFile(result) ? [`The file has had the same bytes since ${result.sameSince}.`] : []
  const line =
    `${source}: ${counts.inFile} in file, ${counts.new} new, ${counts.changed} changed, ${counts.gone} gone, ` +
    `${counts.hidden} hidden, ${counts.keptByHand} kept by hand, ${counts.unknown} unknown`
  const lines = [
    line,
    ...(isDryRun ? ['Dry run: nothing is changed.'] : []),
    ...warnings,
    ...changes.flatMap(describeReplacement),
    ...unknownRows.map(({ reference, reason }) => `${reference} stays as it is: ${reason}.`),
  ]
  return {
    json: {
      source,
      dryRun: isDryRun,
      ...counts,
      changes: changes.filter(({ action }) => action !== 'none').map(toJson),
      unknownRows,
      warnings,
    },
    text: lines.map(makePrintable).join('\n'),
    exitCode: unknownRows.length > 0 ? exitCodes.conflict : exitCodes.done,
  }
}

const isOldFile = ({ sameSince, today }: SyncResult): boolean =>
  sameSince !== undefined && Date.parse(today) - Date.parse(sameSince) >= (sameFileDays - 1) * dayMilliseconds

const toJson = ({ reference, id, action, old, new: newPet, ...byHand }: MadeChange) => ({
  reference,
  id: id ?? null,
  action,
  old: old ?? null,
  new: newPet ?? null,
  ...(byHand.keptFields.length > 0 ? { keptByHand: byHand.keptFields } : {}),
  ...(byHand.replacedFields.length > 0 ? { replacedByHand: byHand.replacedFields } : {}),
  ...(byHand.undoesRemoval ? { removalUndone: true } : {}),
})

const describeReplacement = (change: MadeChange): readonly string[] => {
  const { reference, id, old, new: newPet, replacedFields, undoesRemoval } = change
  if (undoesRemoval) return [`${reference} (pet ${id}): the file brings back the animal, which was removed by hand.`]
  const fields = replacedFields.map((field) => `${field} ${readField(old, field)} by ${readField(newPet, field)}`)
  return fields.length === 0 ? [] : [`${reference} (pet ${id}): the file replaces ${fields.join(' and ')}.`]
}

const readField = (pet: object | undefined, field: string): string => {
  const value: unknown = Reflect.get(pet ?? {}, field)
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
