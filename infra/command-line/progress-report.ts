import { amount } from './report.ts'

/** Receives the progress of long work on pets. */
export interface Progress {
  /** `count` is undefined where nobody knows how many there are. */
  begin(found: number, count: number | undefined): void
  advance(pets: number): void
}

/** Where the progress is drawn: standard error, or its replacement in a test. */
export interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** A bar that is redrawn on a terminal; elsewhere a line from time to time. `end` closes the last line. */
export const progressReport = (
  screen: Screen,
  clock: () => number = () => performance.now(),
): Progress & { written(): number; end(): void } => {
  const isTerminal = screen.isTTY === true
  const interval = isTerminal ? 100 : 5_000
  let count: number | undefined = 0
  let present = 0
  let begunWith = 0
  let begunAt = 0
  let shownAt = Number.NEGATIVE_INFINITY
  let isShown = false

  const shareText = (all: number, rate: number): string => {
    const share = present / all
    const done = Math.floor(share * barWidth)
    const bar = isTerminal ? `[${'#'.repeat(done)}${' '.repeat(barWidth - done)}] ` : ''
    const left =
      present === all ? '' : rate === 0 ? ', time left unknown' : `, ${timeText((all - present) / rate)} left`
    return `${bar}${Math.floor(share * 100)} %, ${amount(present)} of ${amount(all)} pets, ${amount(rate)}/s${left}`
  }

  const show = (): void => {
    shownAt = clock()
    isShown = true
    const seconds = (shownAt - begunAt) / 1_000
    /** Pets a second. */
    const rate = seconds === 0 ? 0 : (present - begunWith) / seconds
    const text = count === undefined ? `${amount(present)} pets, ${amount(rate)}/s` : shareText(count, rate)
    screen.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`)
  }

  return {
    begin: (found, all) => {
      count = all
      present = found
      begunWith = found
      begunAt = clock()
      if (all === undefined || found < all) show()
    },
    advance: (pets) => {
      present += pets
      if (clock() - shownAt >= interval || present === count) show()
    },
    written: () => present - begunWith,
    end: () => {
      if (isTerminal && isShown) screen.write('\n')
    },
  }
}

const barWidth = 24

/** Minutes and seconds, as 2:05, or with hours, as 1:02:05. */
const timeText = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60]
  const rest = `${whole % 60}`.padStart(2, '0')
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${`${minutes}`.padStart(2, '0')}:${rest}`
}
