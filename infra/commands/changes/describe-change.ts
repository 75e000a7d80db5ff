/** The values of a change in words. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import { splitIntoWords } from '../../command-line/report.ts'
import type { AuditRecord } from './record.ts'

/**
 * Describes what a change has done, such as `status available to sold` or `removed by hand: name Bella, status sold`.
 * The item of a removed pet stays, and its attribute `removed` says how the pet was removed.
 */
export const describeChange = ({ old, new: next }: Pick<AuditRecord, 'old' | 'new'>): string => {
  const oldValues = dropEmptyValues(old)
  const newValues = dropEmptyValues(next)
  const { removed: oldRemoval, ...oldFields } = oldValues
  const { removed: newRemoval, ...newFields } = newValues

  if (old === null) return `added: ${describeValues(newFields)}`
  if (newRemoval !== undefined && oldRemoval === undefined) return `removed ${newRemoval}: ${describeValues(oldFields)}`
  if (oldRemoval !== undefined && newRemoval === undefined) return `returned: ${describeValues(newFields)}`
  return describeDifferences(oldValues, newValues)
}

/** Drops values that are `null`, which stand in the record of a key for an attribute that the key lacks. */
const dropEmptyValues = (values: Attributes | null): Attributes =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== undefined))

/** The attribute with the hash of a pet's row in the shelter's file. A hash says nothing to a person. */
const rowAttribute = 'row'

/** Attributes that a list of values leaves out: the hash, and the id, which stands elsewhere in the same line. */
const unlistedAttributes: readonly string[] = ['id', rowAttribute]

/** Describes values, such as `name Bella, category id 1, status available`. */
export const describeValues = (values: Attributes): string => {
  const shown = Object.entries(values).filter(([name]) => !unlistedAttributes.includes(name))
  return shown.map(([name, value]) => `${splitIntoWords(name)} ${formatValue(value)}`).join(', ')
}

/** Describes the values that differ, such as `name Bella to Max, status available to sold`. */
export const describeDifferences = (old: Attributes, next: Attributes): string => {
  const names = new Set([...Object.keys(old), ...Object.keys(next)])
  // Values are compared as text: a damaged item may have a number where a pet has a bigint.
  const differing = [...names].filter((name) => formatValue(old[name]) !== formatValue(next[name]))
  const shown = differing.filter((name) => name !== rowAttribute)
  if (shown.length === 0 && differing.length > 0) return 'only what the file says'
  return shown.map((name) => describeDifference(splitIntoWords(name), old[name], next[name])).join(', ')
}

const describeDifference = (name: string, old: unknown, next: unknown): string => {
  if (old === undefined) return `${name} ${formatValue(next)} (none before)`
  if (next === undefined) return `no ${name} (${formatValue(old)} before)`
  return `${name} ${formatValue(old)} to ${formatValue(next)}`
}

/** Formats a value. A text stands in quotation marks unless it is one plain word, id, number, time or address. */
const formatValue = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:@+-]+$/.test(value) ? value : formatPrintableJson(value ?? null)
