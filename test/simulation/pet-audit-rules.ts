import { findPetFields, lastChange } from '../../infra/operations/pets/pet-table.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import { petFields } from '../../shared/pets/pet.ts'
import type { AuditLines } from './audit-lines.ts'
import { checkOutcomes, reportWrongLines } from './change-rules.ts'
import type { History } from './history.ts'
import type { Edits } from './import-rules.ts'

/** Invariants of changes of animals: the audit has each one, once, with what it replaced. */
export class PetAuditRules {
  readonly #history: History
  readonly #audit: AuditLines
  /** Every version of each animal, in the order in which they were stored. */
  readonly #versions = new Map<string, Attributes[]>()
  /** Edits of imported files, by the names of the imports in the audit. */
  readonly #edits = new Map<string, Edits>()

  constructor(history: History, audit: AuditLines) {
    this.#history = history
    this.#audit = audit
  }

  /** An animal was stored or changed, or its item became void. */
  recordVersion(id: string, item: Attributes): void {
    this.#versions.set(id, [...(this.#versions.get(id) ?? []), item])
  }

  /** An operator begins to import a file. */
  expectEdits(who: string, edits: Edits): void {
    this.#edits.set(who, edits)
  }

  /** Compares the audit with the versions of the animals, when all commands have ended. */
  checkAtEnd(): void {
    const happened = new Set<string>()
    for (const [id, versions] of this.#versions) {
      for (const [index, version] of versions.entries()) {
        const isByOperator = version[lastChange] !== undefined
        const changeId = isByOperator ? this.#checkVersion(id, version, versions[index - 1]) : undefined
        if (changeId !== undefined) happened.add(changeId)
      }
    }
    checkOutcomes(this.#history, this.#audit, 'pets', happened)
  }

  /** @returns the `changeId` of the change that has made a version */
  #checkVersion(id: string, version: Attributes, replaced: Attributes | undefined): string | undefined {
    const { who, time } = Object(version[lastChange])
    if (replaced !== undefined) this.#checkEdits(who, id, version, replaced)

    const begun = this.#audit.findBegun(who, id).filter((entry) => entry.time === time)
    const [line] = begun
    const values = stringifyExactJson([findPetFields(replaced) ?? null, findPetFields(version) ?? null])
    if (line === undefined || begun.length > 1 || stringifyExactJson([line.old, line.new]) !== values) {
      reportWrongLines(this.#history, id, `${values} has the lines ${stringifyExactJson(begun)}`)
    }
    return line?.changeId
  }

  /** Checks that an import has changed only fields that its file edits. */
  #checkEdits(who: string, id: string, version: Attributes, replaced: Attributes): void {
    const edits = this.#edits.get(who)
    if (edits === undefined) return
    const editedFields = Object.keys(edits.get(id) ?? {})
    const isChanged = (field: string): boolean => version[field] !== replaced[field]
    const others = petFields.filter((field) => isChanged(field) && !editedFields.includes(field))
    if (others.length === 0) return
    this.#history.report('an import changes only what was edited', id, `${who} has changed ${others.join(', ')}`)
  }
}
