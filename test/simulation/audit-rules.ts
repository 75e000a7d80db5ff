import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { ResourceNames } from '../../infra/local/record/local-environment-record.ts'
import { changeIdAttribute } from '../../infra/operations/environment/change-audit.ts'
import type { AuditedChange } from '../../infra/operations/environment/read-audit.ts'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import { listRecordDifferences, readAllChanges } from '../fixtures/audit.ts'
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
    if (isSecond) this.#reportWrongRecord(write, 'was made twice')
    if (!this.#writes.has(changeId)) this.#writes.set(changeId, write)
  }

  /** Compares the records of the audit with the writes, when all commands have ended. */
  async checkAtEnd(database: DynamoDBDocumentClient, tables: ResourceNames['tables']): Promise<void> {
    const changes = await readAllChanges({ database, tables })
    const recordedIds = new Set<string>(changes.map(({ changeId }) => changeId))
    for (const [changeId, write] of this.#writes) {
      if (!recordedIds.has(changeId)) this.#reportWrongRecord(write, 'has no record')
    }
    for (const change of changes) this.#checkChange(change)
  }

  #checkChange(change: AuditedChange): void {
    const write = this.#writes.get(change.changeId)
    const wasMade = write !== undefined
    if ((change.outcome === 'made') !== wasMade) {
      const text = `${change.action} of ${change.who} is "${change.outcome}"`
      this.#history.report('the audit has the outcome of each change', change.target, text)
    }
    if (write === undefined) return
    // The record of a new key has its terms, of which the item lacks those that are not set.
    const differences = [
      ...listRecordDifferences(write.after, change.new),
      ...(write.before === undefined ? [] : listRecordDifferences(write.before, change.old)),
    ]
    if (differences.length > 0) this.#reportWrongRecord(write, `has the record ${stringifyExactJson(change)}`)
  }

  #reportWrongRecord({ after }: ItemWrite, text: string): void {
    const invariant = 'the audit has each change once, with what it replaced'
    this.#history.report(invariant, String(after['keyId'] ?? after['id']), `${stringifyExactJson(after)} ${text}`)
  }
}

const isSame = (one: object, other: object): boolean => stringifyExactJson(one) === stringifyExactJson(other)
