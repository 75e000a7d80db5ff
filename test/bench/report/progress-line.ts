/** Standard error, or what stands for it in a test. */
export interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** What is being measured: one line that is drawn anew on a terminal; elsewhere a line now and then. */
export const progressLine = (screen: Screen, clock: () => number = () => performance.now()) => {
  const interval = screen.isTTY === true ? 100 : 10_000
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show: (text: string): void => {
      if (clock() - shownAt < interval) return
      shownAt = clock()
      screen.write(screen.isTTY === true ? `\r\u001b[K${text}` : `${text}\n`)
    },
    end: (): void => {
      if (screen.isTTY === true) screen.write('\r\u001b[K')
    },
  }
}
