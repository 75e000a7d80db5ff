/** The middle half of some measurements. */
export interface Spread {
  readonly lowerQuartile: number
  readonly median: number
  readonly upperQuartile: number
}

/** @throws Error when there is none. */
export const spread = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((one, other) => one - other)
  return {
    lowerQuartile: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upperQuartile: quantile(sorted, 0.75),
  }
}

/** Between two measurements it lies on the line that joins them. */
export const quantile = (sorted: readonly number[], share: number): number => {
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) throw new Error('There is no median of no measurements.')
  return below + (above - below) * (place - Math.floor(place))
}

/** A figure of a function beside its floor's. The ratios are those of the rounds, in which both ran side by side. */
export type Comparison = {
  readonly measured: Spread
  readonly floor: Spread
  readonly ratio: Spread
}

/** @param rounds one or more measurements of both */
export const compare = (rounds: readonly { readonly measured: number; readonly floor: number }[]): Comparison => ({
  measured: spread(rounds.map(({ measured }) => measured)),
  floor: spread(rounds.map(({ floor }) => floor)),
  ratio: spread(rounds.map(({ measured, floor }) => measured / floor)),
})
