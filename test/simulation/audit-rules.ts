import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { changeIdAttribute } from '../../infra/commands/environment/change-audit.ts'
import type { ResourceNames } from '../../infra/commands/environment/local-environment.ts'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import type { AuditedChange } from '../fixtures/commands/audit.ts'
import { listRecordDifferences, readAllChanges } from '../fixtures/commands/audit.ts'
import type { ItemWrite } from './database.ts'
import type { History } from './history.ts'

/** Invariants of the audit: it has each change of a key or an animal once, with what it replaced, and its outcome. */
export class AuditRules {
  readonly #history: History
  /** Writes of commands, by the ids of their changes. */
  readonly #writes = new Map<string, ItemWrite>()

  constructor(history: History) {
    this.#history = history
  }

  /** Learns a write by a command. */
  recordWrite(write: ItemWrite): void {
    const changeId = String(write.after[changeIdAttribute])
    const isSecond = this.#writes.has(changeId) && !isSame(write.before ?? {}, write.after)
    if (isSecond) this.#report(write.after, 'was made twice')
    if (!this.#writes.has(changeId)) this.#writes.set(changeId, write)
  }

  /** Compares the records of the audit with the writes, when all commands have ended. */
  async checkAtEnd(database: DynamoDBDocumentClient, tables: ResourceNames['tables']): Promise<void> {
    const changes = await readAllChanges({ database, tables })
    const recordedIds = new Set<string>(changes.map(({ changeId }) => changeId))
    for (const [changeId, { after }] of this.#writes) {
      if (!recordedIds.has(changeId)) this.#report(after, 'has no record')
    }
    for (const change of changes) this.#checkChange(change)
  }

  #checkChange(change: AuditedChange): void {
    const write = this.#writes.get(change.changeId)
    if ((change.outcome === 'made') !== (write !== undefined)) this.#report(change, `is "${change.outcome}"`)
    if (write === undefined) return
    // The record of a new key has its terms, of which the item lacks those that are not set.
    const differences = [
      ...listRecordDifferences(write.after, change.new),
      ...(write.before === undefined ? [] : listRecordDifferences(write.before, change.old)),
    ]
    if (differences.length > 0) this.#report(write.after, `has the record ${stringifyExactJson(change)}`)
  }

  #report(changed: object, text: string): void {
    const invariant = 'the audit has each change, with what it replaced and its outcome'
    this.#history.report(invariant, 'audit', `${stringifyExactJson(changed)} ${text}`)
  }
}

const isSame = (one: object, other: object): boolean => stringifyExactJson(one) === stringifyExactJson(other)
