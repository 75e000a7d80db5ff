import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { ResourceNames } from '../../infra/local/record/local-environment-record.ts'
import { type AuditRecord, changeIdAttribute } from '../../infra/operations/environment/change-audit.ts'
import { type AuditedChange, readChanges } from '../../infra/operations/environment/read-audit.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import type { KeyWrite } from './database.ts'
import type { History } from './history.ts'

/** Invariants of the audit of API keys: it has each change once, with what the change replaced, and its outcome. */
export class KeyAuditRules {
  readonly #history: History
  /** Writes of keys by commands, by the ids of their changes. */
  readonly #writes = new Map<string, KeyWrite>()

  constructor(history: History) {
    this.#history = history
  }

  /** Learns a write of a key by a command. */
  recordWrite(write: KeyWrite): void {
    const changeId = String(write.after[changeIdAttribute])
    const isSecond = this.#writes.has(changeId) && changesAnything(write)
    if (isSecond) this.#reportWrongRecord(write.after, 'was made twice')
    if (!this.#writes.has(changeId)) this.#writes.set(changeId, write)
  }

  /** Compares the records of the audit with the writes, when all commands have ended. */
  async checkAtEnd(database: DynamoDBDocumentClient, tables: ResourceNames['tables']): Promise<void> {
    this.check(await readAllChanges(database, tables))
  }

  /** Compares changes of the audit with the writes. */
  check(changes: readonly AuditedChange[]): void {
    const recordedIds = new Set<string>(changes.map(({ changeId }) => changeId))
    for (const [changeId, { after }] of this.#writes) {
      if (!recordedIds.has(changeId)) this.#reportWrongRecord(after, 'has no record')
    }
    for (const change of changes) this.#checkChange(change)
  }

  #checkChange(change: AuditedChange): void {
    const write = this.#writes.get(change.changeId)
    const wasMade = write !== undefined
    if ((change.outcome === 'made') !== wasMade) {
      const text = `${change.action} of ${change.who} is "${change.outcome}"`
      this.#history.report('the audit has the outcome of each change of a key', change.target, text)
    }
    if (write === undefined) return
    // The record of a new key has its terms, of which the item lacks those that are not set.
    const isRecorded =
      hasValues(write.after, change.new) && (write.before === undefined || hasValues(write.before, change.old))
    if (!isRecorded) this.#reportWrongRecord(write.after, `has the record ${stringifyExactJson(change)}`)
  }

  #reportWrongRecord(item: Attributes, text: string): void {
    const invariant = 'the audit has each change of a key once, with what it replaced'
    this.#history.report(invariant, String(item['keyId']), `${stringifyExactJson(item)} ${text}`)
  }
}

const readAllChanges = async (database: DynamoDBDocumentClient, tables: ResourceNames['tables']) => {
  const { Items = [] } = await database.send(new ScanCommand({ TableName: tables.audit, ConsistentRead: true }))
  // Only commands write to this table.
  const targets = new Set(
    (Items as AuditRecord[]).map(({ target }) => target).filter((target) => target.startsWith('key#')),
  )
  const changes: AuditedChange[] = []
  for (const target of targets) {
    for await (const page of readChanges({ database, tables }, { target })) changes.push(...page)
  }
  return changes
}

const isSame = (one: unknown, other: unknown): boolean =>
  stringifyExactJson(one ?? null) === stringifyExactJson(other ?? null)

/** Whether an item has the values of the audit. There `null` stands for an attribute that the item lacks. */
const hasValues = (item: Attributes, recorded: object | null): boolean =>
  Object.entries(recorded ?? {}).every(([name, value]) => isSame(item[name], value))

const changesAnything = ({ before = {}, after }: KeyWrite): boolean => !isSame(before, after)
