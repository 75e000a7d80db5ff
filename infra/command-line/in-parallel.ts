const callsAtOnce = 32

/**
 * Works on all items, some at a time. After a failure it begins no more, and waits for those under way.
 *
 * @returns the results in the order of the items
 */
export const inParallel = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  const failures: unknown[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return
      try {
        results[index] = await work(item, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: callsAtOnce }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
