import { amount } from './report.ts'

const secondsBetween = 5

/**
 * Tells of long work, a line every few seconds.
 *
 * @param all how many there are, where that is known
 */
export const progress = (all: number | undefined, what = 'pets'): ((more: number) => void) => {
  let told = performance.now()
  let done = 0
  return (more) => {
    done += more
    if (performance.now() - told < secondsBetween * 1_000) return
    told = performance.now()
    console.error(`${amount(done)}${all === undefined ? '' : ` of ${amount(all)}`} ${what}`)
  }
}
