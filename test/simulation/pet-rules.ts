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
      await this.#expectStored(name, id)
    }
  }

  /** Compares the table with what callers asked for, when all requests have ended. */
  async checkAtEnd(): Promise<void> {
    const storedNames = await this.#listNames()
    for (const { name, id } of this.#creations) {
      const ids = storedNames.get(name) ?? []
      if (ids.length > 1) this.#history.report('a creation adds one animal', name, `has the ids ${ids.join(', ')}`)
      if (id !== undefined && !ids.includes(id)) {
        this.#history.report('an acknowledged animal is there', name, `${id} is missing, there is ${ids.join(', ')}`)
      }
    }
    this.#followerRules.checkAtEnd([...storedNames.values()].flat())
  }

  async #expectStored(name: string, id: number): Promise<void> {
    const { Item: item } = await this.#database
      .observe()
      .send(new GetCommand({ TableName: this.#table, Key: { id }, ConsistentRead: true }))
    if (item?.['name'] === name) return
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
