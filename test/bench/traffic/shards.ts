import { mostShards, shardsFor } from '../../../shared/api-keys/shards.ts'
import { mostThrottled } from '../../../shared/rate-limit/rate-limiter.ts'
import { seededRandom } from '../../seeded-random.ts'
import type { Section } from '../section.ts'
import { refusedShare } from './simulate.ts'

const rates = [500, 900, 1_000, 1_500, 2_000, 5_000, 10_000, 50_000, 100_000] as const
const shardCounts = [1, 2, 4, 8, 16, 32, 64, mostShards] as const
const seconds = 20
const seed = 20_261_121

/** Refusals that callers with a retry do not notice. */
const acceptable = 0.001

export const shardsSection = (): Section => ({
  title: `Simulated: requests refused though the limit of their one key has room, in ${seconds} seconds of steady random arrivals`,
  columns: {
    rate: 'requests/s',
    ...Object.fromEntries(shardCounts.map((count) => [`n${count}`, `${count} ${count === 1 ? 'item' : 'shards'}`])),
    least: 'under 0.1 % from',
    given: 'this service gives',
    atTwice: 'with these, at twice the rate',
  },
  rows: rates.map((rate) => {
    const random = seededRandom(seed)
    const refused = (requestsPerSecond: number, shards: number): number =>
      refusedShare({ requestsPerSecond, shards, seconds, tries: mostThrottled }, random)
    const shares = shardCounts.map((shards) => refused(rate, shards))
    const given = shardsFor({ perMinute: rate * 60, perDay: Number.POSITIVE_INFINITY })
    const least = shardCounts[shares.findIndex((share) => share < acceptable)]
    return {
      rate,
      ...Object.fromEntries(shares.map((share, index) => [`n${shardCounts[index]}`, percent(share)])),
      least: least === undefined ? 'none' : String(least),
      given: String(given),
      atTwice: percent(refused(2 * rate, given)),
    }
  }),
})

const percent = (share: number): string => (share === 0 ? '0' : `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`)
