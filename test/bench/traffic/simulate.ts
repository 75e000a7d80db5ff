export interface Traffic {
  readonly requestsPerSecond: number
  readonly shards: number
  readonly seconds: number
  /** How many shards a request tries at most where they take no writes. */
  readonly tries: number
}

/** What one partition takes a second ("Best practices for designing and using partition keys effectively"). */
export const writesPerSecond = 1_000

const stepSeconds = 0.01

/**
 * The share of requests that are refused though their key's limit has room, because no shard that they try takes a
 * write. Requests arrive at random (Poisson) and draw their shards at random; each shard is a bucket that holds the
 * writes of one second at most. DynamoDB's burst capacity is left out, for nobody may rely on it, and so are the SDK's
 * repetitions of a throttled write, which would let some more in.
 */
export const refusedShare = ({ requestsPerSecond, shards, seconds, tries }: Traffic, random: () => number): number => {
  const room = new Float64Array(shards).fill(writesPerSecond)
  let arrived = 0
  let refused = 0
  for (let step = 0; step < seconds / stepSeconds; step += 1) {
    for (const [shard, writes] of room.entries()) {
      room[shard] = Math.min(writesPerSecond, writes + writesPerSecond * stepSeconds)
    }
    const requests = poisson(requestsPerSecond * stepSeconds, random)
    arrived += requests
    for (let request = 0; request < requests; request += 1) if (!isTaken(room, tries, random)) refused += 1
  }
  return arrived === 0 ? 0 : refused / arrived
}

const isTaken = (room: Float64Array, tries: number, random: () => number): boolean => {
  const first = Math.floor(random() * room.length)
  for (let tried = 0; tried < Math.min(tries, room.length); tried += 1) {
    const shard = (first + tried) % room.length
    const writes = room[shard] ?? 0
    if (writes < 1) continue
    room[shard] = writes - 1
    return true
  }
  return false
}

/** How many of ever so many independent events, of which `mean` are expected, happen. */
const poisson = (mean: number, random: () => number): number => {
  // Knuth's way of multiplying draws, in parts small enough for the exponential not to vanish.
  let count = 0
  for (let left = mean; left > 0; left -= 30) {
    const end = Math.exp(-Math.min(30, left))
    for (let product = random(); product > end; product *= random()) count += 1
  }
  return count
}
