/** Keys whose items have missing or malformed attributes, for example because somebody has edited them by hand. */
import {
  createGatewayKeyValue,
  createKeyReader,
  findMalformedAttributes,
  type IdempotencyScope,
  nameKey,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import type { KeyChange } from '../../../shared/api-keys/key-table.ts'
import { describeMalformedItem, type MalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { windowSeconds } from '../../../shared/rate-limit/windows.ts'
import { findCreationTime } from './key.ts'

/** Commands that set the terms of a key. */
const commandsOfTerms: Readonly<Record<string, string>> = {
  owner: 'edit ID --owner NAME',
  contact: 'edit ID --contact TEXT',
  plan: 'move ID --plan PLAN',
  minuteLimit: 'move ID --plan PLAN',
  dayLimit: 'move ID --plan PLAN',
  scope: 'edit ID --scope SCOPE',
  expiresAt: 'edit ID --expires DAY',
  overlapEndsAt: 'edit ID --overlap-hours HOURS',
}

const readMinuteWindow = createKeyReader(['minuteWindow'])

/** Finds the UTC day that contains the counted minute: both windows open together. 0 if the minute cannot be read. */
const findCountedDay = (stored: StoredKey): number => {
  const reading = readMinuteWindow(stored)
  if (reading.kind === 'malformed') return 0
  return Math.floor((reading.value.minuteWindow * windowSeconds.minute) / windowSeconds.day)
}

/** Values for attributes that are no terms of the owner: counts start at 0, and links to other keys are removed. */
const deriveValues = (stored: StoredKey) => ({
  // The scope of a key without a predecessor is its own id, in another type.
  idempotencyScope: nameKey(stored) as IdempotencyScope,
  createdAt: findCreationTime(nameKey(stored)),
  predecessor: undefined,
  successor: undefined,
  minuteWindow: 0,
  minuteCount: 0,
  dayWindow: findCountedDay(stored),
  dayCount: 0,
  refusalCount: 0,
  banCount: 0,
  bannedUntil: 0,
  revokedAt: undefined,
  // A gateway key of another value has not been created yet.
  gatewayKey: createGatewayKeyValue(),
  meteredFrom: undefined,
})

/** Attributes that are only written together. */
const gatewayAttributes: readonly string[] = ['gatewayKey', 'meteredFrom']

/**
 * Attributes that need another API Gateway key if one of them is malformed. The usage plan of the present key has
 * counted requests that the mended count of the day may lack, and would refuse requests that the table admits.
 */
const attributesOfGatewayKey: readonly string[] = [...gatewayAttributes, 'dayWindow', 'dayCount']

/** Plans the change that writes the malformed attributes of a key anew. It has none that are terms of the owner. */
export const planMend = (stored: StoredKey): KeyChange => {
  const malformedNames: readonly string[] = findMalformedAttributes(stored)
  const needsGatewayKey = attributesOfGatewayKey.some((name) => malformedNames.includes(name))

  const values = Object.entries(deriveValues(stored)).filter(([name]) =>
    gatewayAttributes.includes(name) ? needsGatewayKey : malformedNames.includes(name),
  )
  return Object.fromEntries(values)
}

/** Describes a key that cannot be read, and says what the operator can do. */
export const describeMalformedKey = (key: MalformedItem<StoredKey>): string =>
  `${describeMalformedItem(key)} ${adviseOn(key)}`

const adviseOn = ({ attribute, item }: MalformedItem<StoredKey>): string => {
  const name = nameKey(item)
  const command = commandsOfTerms[attribute]
  if (command !== undefined) return `"${command.replace('ID', name)}" sets it.`
  if (attribute in deriveValues(item)) return `"mend ${name}" writes it anew.`
  return `Nothing shows what it was: issue another key, and "revoke ${name}".`
}
