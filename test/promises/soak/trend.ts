import { spread } from '../../bench/report/statistics.ts'

/** A figure at a time. */
export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number
  readonly value: number
}

/** The share of the time at the beginning in which caches, compiled code and connections settle. */
const warmUp = 1 / 3

export interface Trend {
  readonly median: number
  readonly highest: number
  /** How much the figure grew from the end of the warm-up to the end, by its trend; negative where it fell. */
  readonly growth: number
}

/**
 * The trend after the warm-up, by Theil and Sen: the median of the slopes between all pairs of samples. A
 * third of the samples may be wild, as memory is between collections, and do not change it.
 *
 * @throws Error when there are fewer than two samples after the warm-up
 */
export const trendOf = (samples: readonly Sample[]): Trend => {
  const [first, last] = [samples.at(0)?.at ?? 0, samples.at(-1)?.at ?? 0]
  const settled = samples.filter(({ at }) => at >= first + (last - first) * warmUp)
  const slopes = settled.flatMap((one, index) =>
    settled.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  )
  return {
    median: spread(settled.map(({ value }) => value)).median,
    highest: Math.max(...samples.map(({ value }) => value)),
    growth: spread(slopes).median * (last - (settled[0]?.at ?? last)),
  }
}
