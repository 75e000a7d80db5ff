import { lastChangeId } from '../../shared/api-keys/key-table.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import type { AuditLines } from './audit-lines.ts'
import { checkOutcomes, reportWrongLines } from './change-rules.ts'
import type { KeyWrite } from './database.ts'
import type { History } from './history.ts'

/** Invariants of the audit of API keys: it has each change once, with what the change replaced. */
export class KeyAuditRules {
  readonly #history: History
  readonly #audit: AuditLines
  readonly #happened = new Set<string>()
  /** Changes of one item each, by `changeId` and key id. */
  readonly #written = new Set<string>()

  constructor(history: History, audit: AuditLines) {
    this.#history = history
    this.#audit = audit
  }

  /**
   * Checks a write of a key by a command.
   *
   * @param who name of the command in the audit
   */
  check(who: string, { before, after }: KeyWrite): void {
    const keyId = String(after['keyId'])
    const line = this.#audit.findBegun(who, keyId).at(-1)
    if (line === undefined) {
      reportWrongLines(this.#history, keyId, `${who} has no line before its write`)
      return
    }

    this.#history.note(keyId, `${who} writes: ${line.action}`)
    const write = `${line.changeId} ${keyId}`
    const changedNames = before === undefined ? [] : listChangedNames(before, after)
    // The SDK may repeat a write that leaves the terms as they are, such as a move to the same plan.
    const hasChanged = before === undefined || changedNames.length > 0
    if (this.#written.has(write) && hasChanged) {
      reportWrongLines(this.#history, keyId, `${line.action} was made twice`)
    }
    this.#written.add(write)
    this.#happened.add(line.changeId)

    const isChangedKey = before !== undefined
    // The line of a rotation has the terms of the new key, and the changes of the replaced one.
    const isRecorded = isChangedKey
      ? hasValues(after, line.new) && hasValues(before, line.old)
      : hasTerms(after, line.new)
    const unrecorded = changedNames.filter((name) => !(name in Object(line.new)))
    if (isRecorded && unrecorded.length === 0) return
    const text = `${stringifyExactJson([before ?? null, after])} has the line ${stringifyExactJson(line)}`
    reportWrongLines(this.#history, keyId, text)
  }

  /** Compares the outcomes in the audit with the writes, when all commands have ended. */
  checkAtEnd(): void {
    checkOutcomes(this.#history, this.#audit, 'keys', this.#happened)
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  stringifyExactJson(one ?? null) === stringifyExactJson(other ?? null)

/** Whether an item has the values of the audit. There `null` stands for an attribute that the item lacks. */
const hasValues = (item: Attributes, recorded: object | null): boolean =>
  Object.entries(recorded ?? {}).every(([name, value]) => isSame(item[name], value))

/** Whether a new item has the values of the audit for the attributes that it has. */
const hasTerms = (item: Attributes, recorded: object | null): boolean =>
  Object.entries(recorded ?? {}).every(([name, value]) => item[name] === undefined || isSame(item[name], value))

const listChangedNames = (before: Attributes, after: Attributes): readonly string[] => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  // The id of a change is not in the audit.
  names.delete(lastChangeId)
  return [...names].filter((name) => !isSame(before[name], after[name]))
}
