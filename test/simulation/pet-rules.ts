/** Invariants of animals: creations, lists and followers, as the README promises them. */
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { isRemoved } from '../../shared/pets/pet-table.ts'
import type { History } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Reads the time at which an id was drawn, in milliseconds since the Unix epoch (`drawPetId`). */
const readDrawTime = (id: bigint): number => Number(id / 4_096n) + Date.UTC(2025, 0, 1)

/** The last version of an animal's item. */
interface Version {
  readonly storedAt: number
  readonly name: unknown
  readonly isRemoved: boolean
}

/** A creation that a caller has asked for. Each has a name of its own. */
interface Creation {
  readonly name: string
  /** The id in the response, once a caller has got one. */
  id?: number
}

/** Time after which a change is in every list: the index of a simulation is at most five seconds behind. */
const indexMarginMilliseconds = 6_000

/**
 * Age of an id from which followers may miss its animal. A transaction is sent with an id of at most ten seconds, and a
 * command repeats a throttled one for half a minute; only a frozen function stores an animal later. Followers read back
 * by a minute.
 */
const excusedMilliseconds = 45_000

export class PetRules {
  readonly #time: VirtualTime
  readonly #history: History
  readonly #versions = new Map<number, Version>()
  /** Ids of animals that a follower may miss. */
  readonly #excused = new Set<number>()
  readonly #creations: Creation[] = []
  /** Ids that each follower has got, by its name. */
  readonly #followers = new Map<string, Set<number>>()

  constructor(time: VirtualTime, history: History) {
    this.#time = time
    this.#history = history
  }

  get creationCount(): number {
    return this.#creations.length
  }

  /** Records the item of an animal that was stored, changed or removed. */
  recordVersion(item: Attributes): void {
    const id = Number(item['id'])
    const now = this.#time.now
    const isNew = !this.#versions.has(id)
    if (isNew && now - readDrawTime(BigInt(id)) > excusedMilliseconds) this.#excused.add(id)
    this.#versions.set(id, { storedAt: now, name: item['name'], isRemoved: isRemoved(item) })
  }

  /** Records that a caller asks for a creation. @returns a function to call with the id in its response */
  begin(name: string): (id: number) => void {
    const creation: Creation = { name }
    this.#creations.push(creation)
    return (id) => {
      this.#history.note(name, `acknowledged as ${id}`)
      if (creation.id !== undefined && creation.id !== id) {
        this.#history.report('a creation adds one animal', name, `is acknowledged as ${creation.id} and ${id}`)
      }
      creation.id = id
      if (this.#versions.get(id)?.name !== name) {
        this.#history.report('an acknowledged animal is there', name, `${id} was not stored`)
      }
    }
  }

  /** Checks the ids of one page. */
  checkPage(ids: readonly number[]): void {
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
    if (repeated !== undefined) this.#reportList(repeated, `is repeated: ${ids.join(', ')}`)
  }

  /**
   * Checks the ids of all pages of a list.
   *
   * @param begin the time at which its first page was requested
   */
  checkList(ids: readonly number[], begin: number): void {
    this.checkPage(ids)
    const listed = new Set(ids)
    for (const [id, version] of this.#versions) {
      const isSettled = version.storedAt < begin - indexMarginMilliseconds
      if (!isSettled || version.isRemoved === !listed.has(id)) continue
      this.#reportList(id, version.isRemoved ? 'is removed and listed' : 'is missing')
    }
  }

  #reportList(id: number, text: string): void {
    this.#history.report('a list has each animal that did not just change, once', String(id), text)
  }

  /** @returns a function to call with the id of each animal that the follower gets */
  addFollower(name: string): (id: number) => void {
    const seen = new Set<number>()
    this.#followers.set(name, seen)
    return (id) => {
      if (seen.has(id)) this.#history.report('a follower gets each animal once', name, `got ${id} again`)
      seen.add(id)
    }
  }

  /** Compares the items of the table with what callers asked for and followers got, when all requests have ended. */
  checkAtEnd(items: readonly Attributes[]): void {
    const animals = items.filter((item) => !isRemoved(item))
    const idsByName = Map.groupBy(animals, ({ name }) => name)
    for (const { name, id } of this.#creations) {
      const ids = (idsByName.get(name) ?? []).map((item) => Number(item['id']))
      if (ids.length > 1) this.#history.report('a creation adds one animal', name, `has the ids ${ids.join(', ')}`)
      if (id !== undefined && !ids.includes(id)) {
        this.#history.report('an acknowledged animal is there', name, `${id} is missing, there is ${ids.join(', ')}`)
      }
    }
    for (const [name, seen] of this.#followers) {
      const missed = animals.map(({ id }) => Number(id)).find((id) => !seen.has(id) && !this.#excused.has(id))
      if (missed !== undefined) this.#history.report('a follower gets each animal once', name, `has not got ${missed}`)
    }
  }
}

/** Reads all items of a table, those of removed animals too. */
export const readItems = async (client: DynamoDBDocumentClient, table: string): Promise<readonly Attributes[]> => {
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName: table, ConsistentRead: true }))
  return pages.flatMap(({ Items = [] }) => Items)
}
