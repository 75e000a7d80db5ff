/** Invariants of new animals and of those who follow them, as the README and test/README.md promise them. */
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

/** How an animal is stored. */
interface Storing {
  /** Whether a function stores the animal after its timeout. */
  readonly isOverdue: boolean
  /** Whether a caller has got an id for it already, in the response to a later attempt. */
  readonly isAcknowledged: boolean
}

/** Age from which an id counts as old. Followers get each animal whose id is not. */
const oldMilliseconds = 10_000

/**
 * The highest age of an id under which an animal is stored, unless a frozen function stores it: a command repeats a
 * throttled write for half a minute. Followers read back by a minute.
 */
const highestAgeMilliseconds = 45_000

/** The longest time by which an id is ahead: clocks of instances differ, and the `Date` of a response is rounded. */
const longestLeadMilliseconds = 1_500

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

  /** An animal is stored, changed or removed, or its id is made unusable. */
  recordVersion(item: Attributes, { isOverdue, isAcknowledged }: Storing): void {
    const id = Number(item['id'])
    const isNew = !this.#stored.has(id) && !isRemoved(item)
    this.#stored.add(id)
    if (!isNew) return

    const age = this.#time.now - readDrawTime(BigInt(id))
    // A frozen function may store the animal minutes after it drew the id.
    const isExcused = isOverdue && age > oldMilliseconds && !isAcknowledged
    if (isExcused) {
      this.#excused.add(id)
      return
    }
    if (age >= -longestLeadMilliseconds && age <= highestAgeMilliseconds) return
    this.#history.report('an animal is added soon after its id was drawn', String(id), `was ${age} ms old`)
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
