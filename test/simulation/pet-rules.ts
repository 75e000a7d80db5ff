/** Invariants of the animals that callers add. Each creation has a name of its own. */
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { SimulatedDatabase } from './database.ts'
import type { FollowerRules } from './follower-rules.ts'
import type { History } from './history.ts'

/** A creation that a caller has asked for. */
interface Creation {
  readonly name: string
  /** The id in the response, once a caller has got one. */
  id?: number
}

export class PetRules {
  readonly #history: History
  readonly #database: Pick<SimulatedDatabase, 'observe'>
  readonly #followerRules: FollowerRules
  readonly #table: string
  readonly #creations: Creation[] = []
  readonly #acknowledgedNames = new Set<string>()
  /** Ids that an operator has tried to remove. */
  readonly #removable = new Set<number>()
  /** Ids of animals whose removal was done. */
  readonly #removed = new Set<number>()

  constructor(
    history: History,
    followerRules: FollowerRules,
    database: Pick<SimulatedDatabase, 'observe'>,
    table: string,
  ) {
    this.#history = history
    this.#followerRules = followerRules
    this.#database = database
    this.#table = table
  }

  get creationCount(): number {
    return this.#creations.length
  }

  /** Lists the ids of acknowledged animals that nobody has tried to remove. */
  listAcknowledged(): readonly number[] {
    return this.#creations.flatMap(({ id }) => (id === undefined || this.#removable.has(id) ? [] : [id]))
  }

  /** An operator begins to remove an animal. */
  expectRemoval(id: number): void {
    this.#removable.add(id)
  }

  /** Whether an operator has tried to remove an animal. */
  isRemovable(id: number): boolean {
    return this.#removable.has(id)
  }

  /** A command says that it has removed an animal. */
  confirmRemoval(id: number): void {
    this.#removed.add(id)
  }

  /** Whether a caller has got the id of a creation. */
  isAcknowledged(name: string): boolean {
    return this.#acknowledgedNames.has(name)
  }

  /** A caller asks for a creation. @returns a function to call with the id in its response */
  begin(name: string): (id: number) => Promise<void> {
    const creation: Creation = { name }
    this.#creations.push(creation)
    return async (id) => {
      this.#history.note(name, `acknowledged as ${id}`)
      if (creation.id !== undefined && creation.id !== id) {
        this.#history.report('a creation has one id', name, `${creation.id} and ${id}`)
      }
      creation.id = id
      this.#acknowledgedNames.add(name)
      await this.#expectStored(name, id)
    }
  }

  /** Compares the table with what callers asked for, when all requests have ended. */
  async checkAtEnd(): Promise<void> {
    const storedNames = await this.#listNames()
    for (const { name, id } of this.#creations) {
      const ids = storedNames.get(name) ?? []
      if (ids.length > 1) this.#history.report('a creation adds one animal', name, `has the ids ${ids.join(', ')}`)
      if (id !== undefined && !ids.includes(id) && !this.#removable.has(id)) {
        this.#history.report('an acknowledged animal is there', name, `${id} is missing, there is ${ids.join(', ')}`)
      }
    }
    for (const ids of storedNames.values()) {
      const id = ids.find((candidate) => this.#removed.has(candidate))
      if (id !== undefined) this.#history.report('a removed animal is gone', String(id), 'is in the table')
    }
    this.#followerRules.checkAtEnd([...storedNames.values()].flat())
  }

  async #expectStored(name: string, id: number): Promise<void> {
    const { Item: item } = await this.#database
      .observe()
      .send(new GetCommand({ TableName: this.#table, Key: { id }, ConsistentRead: true }))
    if (item?.['name'] === name || this.#removable.has(id)) return
    this.#history.report('an acknowledged animal is there', name, `${id} is ${JSON.stringify(item)}`)
  }

  /** Lists the ids of the animals in the table by their names. */
  async #listNames(): Promise<ReadonlyMap<string, readonly number[]>> {
    const ids = new Map<string, number[]>()
    let start: Record<string, unknown> | undefined
    do {
      const page = await this.#database
        .observe()
        .send(new ScanCommand({ TableName: this.#table, ExclusiveStartKey: start }))
      for (const { id, name } of page.Items ?? []) {
        if (name !== undefined) ids.set(name, [...(ids.get(name) ?? []), Number(id)])
      }
      start = page.LastEvaluatedKey
    } while (start !== undefined)
    return ids
  }
}
