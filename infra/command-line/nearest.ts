/** A list as people read it, such as `local, staging or production`. */
export const listed = (names: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)

/** `Did you mean staging?`, where a name resembles what was typed; else nothing. */
export const suggestNearest = (typed: string, names: readonly string[]): string => {
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.max(typed.length, name.length) * 0.4)))
    .toSorted((one, other) => one.distance - other.distance)
  return nearest === undefined ? '' : `Did you mean ${nearest.name}?`
}

/** How many characters must be added, removed, replaced, or swapped with the next one (optimal string alignment). */
const editDistance = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0
  for (let row = 1; row <= from.length; row += 1) {
    rows.push([row])
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1)]
      rows[row]?.push(Math.min(...edits, isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY))
    }
  }
  return at(from.length, to.length)
}
