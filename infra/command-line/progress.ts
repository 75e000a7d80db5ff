import { amount } from './report.ts'

const secondsBetween = 5

/**
 * Tells of long work on pets, a line every few seconds.
 *
 * @param all how many there are, where that is known
 */
export const progress = (
  all: number | undefined,
  write: (line: string) => void = console.error,
  clock: () => number = () => performance.now() / 1_000,
): ((pets: number) => void) => {
  const begun = clock()
  let told = begun
  let done = 0
  return (pets) => {
    done += pets
    if (clock() - told < secondsBetween) return
    told = clock()
    const perSecond = done / (told - begun)
    const share = all === undefined ? '' : ` of ${amount(all)}`
    const left = all === undefined ? '' : `, ${amount((all - done) / perSecond)} s left`
    write(`${amount(done)}${share} pets, ${amount(perSecond)} a second${left}`)
  }
}
