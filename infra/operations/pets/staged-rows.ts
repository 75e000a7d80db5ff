import type { DatabaseSync } from 'node:sqlite'
import { parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'
import { assignPetId, type NewPet, type Pet, parsePet } from '../../../shared/pets/pet.ts'
import type { DesiredPet } from './plan-change.ts'
import type { ExistingPetRow, NewPetRow } from './rows/check-row.ts'
import type { WrittenRow } from './rows/format.ts'
import type { ExportedRow } from './rows/read-rows.ts'

/** Rows that are read from the database at once. */
const rowsPerBatch = 100

/** A change of an existing pet that a row asks for. */
type StagedChange = DesiredPet & ExistingPetRow

/**
 * The rows of an imported file, once all of them are checked, and the conflicts among them. They are in a temporary
 * database, so memory use does not depend on their number.
 */
export class StagedRows implements Disposable {
  readonly #database: DatabaseSync
  readonly #statements: ReturnType<typeof prepareStatements>

  /** Number of rows without an id. */
  newCount = 0
  /** Number of rows that ask for a change of an existing pet. */
  changeCount = 0

  private constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = prepareStatements(database)
  }

  static async open(): Promise<StagedRows> {
    const sqlite = await import('node:sqlite')
    // A database without a name is a temporary file. SQLite keeps a small part of it in memory.
    const database = new sqlite.DatabaseSync('')
    // Nothing is read after a crash, so one transaction that never ends is enough.
    database.exec(`
      CREATE TABLE ids (id INTEGER PRIMARY KEY, line INTEGER);
      CREATE TABLE new_pets (line INTEGER PRIMARY KEY, json TEXT);
      CREATE TABLE changes (line INTEGER PRIMARY KEY, id INTEGER UNIQUE, version TEXT, pet TEXT);
      CREATE TABLE conflicts (line INTEGER PRIMARY KEY, pet TEXT, version TEXT, conflict TEXT);
      BEGIN
    `)
    return new StagedRows(database)
  }

  /**
   * Notes that a line has an id.
   *
   * @returns the earlier line with the same id, if there is one
   */
  addId(id: bigint, line: number): number | undefined {
    const isNew = this.#statements.addId.run(id, line).changes === 1
    return isNew ? undefined : Number(this.#statements.findLine.get(id)?.['line'])
  }

  addNewPet({ line, values }: NewPetRow): void {
    this.newCount += 1
    this.#statements.addNewPet.run(line, stringifyExactJson(values))
  }

  addChange({ line, id, version, pet }: ExistingPetRow): void {
    this.changeCount += 1
    this.#statements.addChange.run(line, id, version === undefined ? null : stringifyExactJson(version), toText(pet))
  }

  /** Adds a row that nobody has edited, of a backup. */
  addExported({ line, id, json }: ExportedRow): void {
    this.changeCount += 1
    this.#statements.addChange.run(line, id, json, json)
  }

  /**
   * Drops the change of a pet that exists, if it asks for nothing more.
   *
   * @param isExistenceEnough whether rows that were not edited only ask for a pet to exist
   */
  dropChangeOf(pet: Pet, isExistenceEnough: boolean): boolean {
    const isDropped = this.#statements.dropChange.run(pet.id, toText(pet), Number(isExistenceEnough)).changes === 1
    if (isDropped) this.changeCount -= 1
    return isDropped
  }

  /** Lists the changes that nobody has edited in the order of the file, in batches. */
  *listExported(): Generator<readonly ExportedRow[]> {
    for (const rows of this.#listBatches(this.#statements.listExported)) {
      yield rows.map(({ line, id, pet }) => ({ line: Number(line), id: BigInt(Number(id)), json: String(pet) }))
    }
  }

  /** Lists the changes in the order of the file, in batches. */
  *listChanges(): Generator<readonly StagedChange[]> {
    for (const rows of this.#listBatches(this.#statements.listChanges)) {
      yield rows.map(({ line, version, pet }) => {
        const desired = parsePet(fromText(pet))
        return {
          line: Number(line),
          id: desired.id,
          version: version === null ? undefined : parsePet(fromText(version)),
          pet: desired,
        }
      })
    }
  }

  /** Lists the rows without an id in the order of the file, in batches. */
  *listNewPets(): Generator<readonly NewPetRow[]> {
    for (const rows of this.#listBatches(this.#statements.listNewPets)) {
      yield rows.map(({ line, json }) => ({ line: Number(line), id: undefined, values: fromText<NewPet>(json) }))
    }
  }

  addConflict(line: number, { pet, version, conflict = '' }: WrittenRow): void {
    this.#statements.addConflict.run(line, toText(pet), version === undefined ? null : toText(version), conflict)
  }

  /** Lists the conflicts in the order of the file. */
  *listConflicts(): Generator<WrittenRow> {
    for (const rows of this.#listBatches(this.#statements.listConflicts)) {
      yield* rows.map(({ pet, version, conflict }) => ({
        pet: fromText<Pet>(pet),
        version: version === null ? undefined : fromText<Pet>(version),
        conflict: String(conflict),
      }))
    }
  }

  *#listBatches(statement: ReturnType<DatabaseSync['prepare']>) {
    let lastLine = 0
    for (;;) {
      const rows = statement.all(lastLine)
      if (rows.length === 0) return
      lastLine = Number(rows.at(-1)?.['line'])
      yield rows
    }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}

const prepareStatements = (database: DatabaseSync) => ({
  addId: database.prepare('INSERT OR IGNORE INTO ids VALUES (?, ?)'),
  findLine: database.prepare('SELECT line FROM ids WHERE id = ?'),
  addNewPet: database.prepare('INSERT INTO new_pets VALUES (?, ?)'),
  addChange: database.prepare('INSERT INTO changes VALUES (?, ?, ?, ?)'),
  dropChange: database.prepare('DELETE FROM changes WHERE id = ? AND (pet = ? OR (? AND pet = version))'),
  addConflict: database.prepare('INSERT INTO conflicts VALUES (?, ?, ?, ?)'),
  listNewPets: prepareList(database, 'new_pets'),
  listExported: prepareList(database, 'changes', 'pet = version'),
  listChanges: prepareList(database, 'changes'),
  listConflicts: prepareList(database, 'conflicts'),
})

const prepareList = (database: DatabaseSync, table: string, condition = 'TRUE') =>
  database.prepare(`SELECT * FROM ${table} WHERE line > ? AND ${condition} ORDER BY line LIMIT ${rowsPerBatch}`)

/** Writes a pet with its fields in the order of every response, so that equal pets have equal texts. */
const toText = (pet: Pet): string => stringifyExactJson(assignPetId(pet.id, pet))

/** Reads the values that this class has written, or an export. */
const fromText = <Value>(text: unknown): Value => parseExactJson(String(text)) as Value
