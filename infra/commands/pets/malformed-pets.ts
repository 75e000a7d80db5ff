/** Pets whose items have missing or malformed fields, for example because somebody has edited them by hand. */
import { describeMalformedItem, type MalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import type { Report } from '../../command-line/report.ts'

const maximumDescribed = 100

/** Describes pets that cannot be read, one a line, and says what the operator can do. */
export const describeMalformedPets = (items: readonly MalformedItem[]): readonly string[] => {
  if (items.length === 0) return []
  const lines = items.slice(0, maximumDescribed).map(describeMalformedItem)
  const furtherCount = items.length - lines.length
  if (furtherCount > 0) lines.push(`${furtherCount} more cannot be read.`)
  return [...lines, '"set" gives a pet other values, and "remove" removes it.']
}

/** Adds the pets that cannot be read to a report. Then not all is done. */
export const addMalformedPets = (report: Report, items: readonly MalformedItem[]): Report => {
  const lines = [report.text, ...describeMalformedPets(items)]
  return {
    json: { ...report.json, malformed: items.map(({ item, attribute }) => ({ id: item['id'], attribute })) },
    // The text is empty if no pet can be shown.
    text: lines.filter((line) => line !== '').join('\n'),
    exitCode: items.length === 0 ? 0 : 1,
  }
}
