/** Invariants of imports that have ended: each row of the file is in the table, or was reported as a conflict. */
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { isRemoved } from '../../shared/pets/pet-store.ts'
import type { History } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The new values of the edited fields of an imported file, by the ids of the animals. */
export type Edits = ReadonlyMap<string, Attributes>

/** An import that has ended, with all its runs. */
export interface EndedImport {
  /** Time at which the export began. A change after it counts as one that the file does not have. */
  readonly exportedAt: number
  readonly edits: Edits
  /** Whether the import had `--overwrite`. */
  readonly overwrite: boolean
  /** Names of the new animals of the file. */
  readonly newNames: readonly string[]
  /** Ids of the rows that the last run has reported as conflicts. */
  readonly conflictIds: ReadonlySet<string>
  /** Names of the animals in the result file. */
  readonly resultNames: ReadonlySet<string>
}

interface Version {
  readonly at: number
  readonly item: Attributes
}

const invariant = 'an import that has ended has made each edit, or has reported a conflict'

export class ImportRules {
  readonly #time: Pick<VirtualTime, 'now'>
  readonly #history: History
  /** Versions of each animal, in the order in which they were stored. */
  readonly #versions = new Map<string, Version[]>()

  constructor(time: Pick<VirtualTime, 'now'>, history: History) {
    this.#time = time
    this.#history = history
  }

  /** An animal was stored, changed or removed. */
  recordVersion(id: string, item: Attributes): void {
    const versions = this.#versions.get(id) ?? []
    versions.push({ at: this.#time.now, item })
    this.#versions.set(id, versions)
  }

  checkEnd(ended: EndedImport): void {
    for (const [id, values] of ended.edits) this.#checkEdit(ended, id, values)
    const missingName = ended.newNames.find((name) => !ended.resultNames.has(name))
    if (missingName !== undefined) this.#history.report(invariant, missingName, 'is not in the result file')
  }

  #checkEdit({ exportedAt, conflictIds, overwrite }: EndedImport, id: string, values: Attributes): void {
    const laterVersions = (this.#versions.get(id) ?? []).filter(({ at }) => at >= exportedAt)
    // Somebody else may have changed the animal again afterwards, or may have made the same change.
    const isMade = laterVersions.some(({ item }) => hasValues(item, values))
    // An animal that is gone is the only conflict of an import with --overwrite.
    const isConflict = overwrite ? laterVersions.some(({ item }) => isRemoved(item)) : laterVersions.length > 0
    if (isMade || (conflictIds.has(id) && isConflict)) return

    const state = conflictIds.has(id)
      ? 'a conflict, but nobody else has changed the animal'
      : 'neither made nor a conflict'
    this.#history.report(invariant, id, `the edit ${JSON.stringify(values)} is ${state}`)
  }
}

const hasValues = (item: Attributes, values: Attributes): boolean =>
  Object.entries(values).every(([name, value]) => item[name] === value)
