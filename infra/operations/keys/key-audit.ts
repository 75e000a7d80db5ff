/** Changes of API keys, as the audit records them. */
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { KeyChange } from '../../../shared/api-keys/key-table.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import type { Change } from '../environment/audit.ts'

/** Picks the attributes of a new key that the audit shows. A successor inherits them from the key that it replaces. */
export const pickTerms = (record: ApiKeyRecord): KeyChange => ({
  owner: record.owner,
  contact: record.contact,
  plan: record.plan,
  scope: record.scope,
  minuteLimit: record.minuteLimit,
  dayLimit: record.dayLimit,
  expiresAt: record.expiresAt,
})

/**
 * Creates the audit's change of keys.
 *
 * @param command name of the subcommand of `npm run keys`
 * @param ids id of the key that is changed, followed by the id of its new successor, if there is one
 * @param stored attributes before the change
 */
export const createChange = (
  command: string,
  ids: readonly string[],
  stored: Attributes,
  changes: KeyChange,
): Change => {
  const names = Object.keys(changes)
  return {
    action: `keys ${command}`,
    ids,
    old: pickForAudit(stored, names),
    new: pickForAudit(changes, names),
  }
}

/** Picks attributes by their names. `null` stands for one that is not present. */
const pickForAudit = (attributes: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, attributes[name] ?? null]))
