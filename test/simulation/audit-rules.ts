/** Invariants of the audit: it has each change of an animal by an operator, once, with what the change replaced. */
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { type Audit, type AuditLine, createAudit } from '../../infra/operations/environment/audit.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { parseExactJson, stringifyExactJson } from '../../shared/exact-json.ts'
import { parseNumberAttribute } from '../../shared/int64.ts'
import { changeCount } from '../../shared/pets/pet-store.ts'
import { findPetFields, lastChange } from '../../shared/pets/pet-table.ts'
import type { Process, StoredItem } from './database.ts'
import type { History } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

export class AuditRules {
  readonly #time: VirtualTime
  readonly #history: History
  readonly #lines: AuditLine[] = []
  /** Every version of each animal, in the order in which they were stored. */
  readonly #versions = new Map<string, Attributes[]>()
  #openedAudits = 0

  constructor(time: VirtualTime, history: History) {
    this.#time = time
    this.#history = history
  }

  /** Opens the audit for one command of an operator. Its lines have a name of its own as `who`. */
  open(process: Process): Audit {
    this.#openedAudits += 1
    const writeLines = async (lines: readonly string[]): Promise<void> => {
      await process.waitUntilRunning()
      await this.#time.pause(30)
      // The audit formats each line as an AuditLine.
      this.#lines.push(...lines.map((line) => parseExactJson(line) as AuditLine))
      await process.waitUntilRunning()
    }
    return createAudit(writeLines, { who: `command ${this.#openedAudits}`, environment: 'local' })
  }

  /** An animal was stored or changed, or its item became void. */
  recordVersion(item: StoredItem): void {
    const version = unmarshall(item, { wrapNumbers: parseNumberAttribute })
    const id = String(version['id'])
    this.#versions.set(id, [...(this.#versions.get(id) ?? []), version])
  }

  /** Compares the audit with the versions of the animals, when all commands have ended. */
  checkAtEnd(): void {
    const happened = new Set<string>()
    for (const [id, versions] of this.#versions) {
      for (const [index, version] of versions.entries()) {
        const isCreation = version[changeCount] === undefined
        const line = isCreation ? undefined : this.#checkVersion(id, version, versions[index - 1])
        if (line !== undefined) happened.add(line.changeId)
      }
    }
    const done = this.#lines.filter(({ action, outcome }) => action.startsWith('pets ') && outcome === 'done')
    for (const line of done) this.#checkDone(line, happened)
  }

  #checkDone({ changeId, ids, action, who }: AuditLine, happened: ReadonlySet<string>): void {
    if (happened.has(changeId)) return
    const text = `${action} of ${who} is done in the audit, and has changed nothing`
    this.#history.report('no change is done in the audit that did not happen', ids.join(), text)
  }

  /** @returns the first line of the change that has made a version */
  #checkVersion(id: string, version: Attributes, replaced: Attributes | undefined): AuditLine | undefined {
    const { who, time } = Object(version[lastChange])
    const lines = this.#lines.filter((entry) => entry.who === who && entry.ids.includes(id))
    const begun = lines.filter((entry) => entry.outcome === 'begun' && entry.time === time)
    const [line] = begun
    const values = stringifyExactJson([findPetFields(replaced) ?? null, findPetFields(version) ?? null])
    if (line === undefined || begun.length > 1 || stringifyExactJson([line.old, line.new]) !== values) {
      const text = `${values} has the lines ${stringifyExactJson(begun)}`
      this.#history.report('the audit has each change once, with what it replaced', id, text)
    }
    const isFailed = lines.some(({ changeId, outcome }) => changeId === line?.changeId && outcome === 'failed')
    if (isFailed) {
      const text = `${who} has made ${values}`
      this.#history.report('no change that happened is failed in the audit', id, text)
    }
    return line
  }
}
