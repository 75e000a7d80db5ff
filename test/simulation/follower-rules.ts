/** Invariants of those who follow new animals, as the README promises them. */
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { readDrawTime } from '../../shared/pets/pet-id.ts'
import { isRemoved } from '../../shared/pets/pet-store.ts'
import type { History } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A caller that follows new animals. */
interface Follower {
  readonly name: string
  readonly seen: Map<number, number>
}

/**
 * Age of an id from which followers may miss its animal. A transaction is sent with an id of at most ten seconds, and a
 * command repeats a throttled one for half a minute; only a frozen function stores an animal later. Followers read back
 * by a minute.
 */
const excusedMilliseconds = 45_000

export class FollowerRules {
  readonly #time: Pick<VirtualTime, 'now'>
  readonly #history: History
  readonly #followers: Follower[] = []
  /** Ids of stored items. */
  readonly #stored = new Set<number>()
  /** Ids of animals that a follower may miss. */
  readonly #excused = new Set<number>()

  constructor(time: Pick<VirtualTime, 'now'>, history: History) {
    this.#time = time
    this.#history = history
  }

  /** @returns a function to call with the id of each animal that the follower gets */
  addFollower(name: string): (id: number) => void {
    const follower: Follower = { name, seen: new Map() }
    this.#followers.push(follower)
    return (id) => {
      const times = (follower.seen.get(id) ?? 0) + 1
      follower.seen.set(id, times)
      if (times > 1) this.#history.report('a follower gets each animal once', name, `got ${id} ${times} times`)
    }
  }

  /** An animal is stored, changed or removed. */
  recordVersion(item: Attributes): void {
    const id = Number(item['id'])
    const isNew = !this.#stored.has(id) && !isRemoved(item)
    this.#stored.add(id)
    const isExcused = isNew && this.#time.now - readDrawTime(BigInt(id)) > excusedMilliseconds
    if (isExcused) this.#excused.add(id)
  }

  /** Checks that the followers have got all animals. */
  checkAtEnd(ids: Iterable<number>): void {
    for (const id of ids) {
      const follower = this.#followers.find(({ seen }) => !seen.has(id))
      if (follower === undefined || this.#excused.has(id)) continue
      this.#history.report('a follower gets each animal', follower.name, `has not got ${id}`)
    }
  }
}
