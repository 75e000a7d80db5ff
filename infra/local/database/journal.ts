import { appendFileSync, existsSync, ftruncateSync, openSync, readFileSync, renameSync } from 'node:fs'

/** One change of a key's value, which is a JSON text; `null` removes it. */
export interface Write {
  /** Such as the items of a table, or the entries of an index. */
  readonly place: string
  readonly key: string
  readonly value: string | null
}

/**
 * Keeps writes, those that happen together in one line of JSON: after `kill -9` all of them are there, or none. A line is in
 * the operating system's hands when this returns, so it outlives this process, though not a loss of power.
 *
 * @throws Error of the operating system, such as ENOSPC; then nothing is kept of them.
 */
export type Journal = (writes: readonly Write[]) => void

/** What a journal has; what a killed process had not written to the end of its line was not acknowledged. */
export function* readJournal(file: string): Iterable<Write> {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  let start = 0
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', start)) {
    for (const [place, key, value] of JSON.parse(bytes.toString('utf8', start, end))) {
      yield { place, key, value: value === null ? null : JSON.stringify(value) }
    }
    start = end + 1
  }
}

/** A start writes less. */
const spaceForStart = 64 * 1024

/** @param contents all that is kept: what the journal becomes at each start */
export const openJournal = (file: string, contents: Iterable<Write>): Journal => {
  const descriptor = openSync(`${file}.new`, 'a')
  // What a killed process has left.
  ftruncateSync(descriptor)
  // A disk without space for a start's own writes is found here.
  appendFileSync(descriptor, ' '.repeat(spaceForStart))
  ftruncateSync(descriptor)
  let length = 0
  for (const write of contents) length += append(descriptor, [write])
  renameSync(`${file}.new`, file)
  return (writes) => {
    try {
      length += append(descriptor, writes)
    } catch (error) {
      // A disk that becomes full takes a part of a line before it refuses the rest.
      ftruncateSync(descriptor, length)
      throw error
    }
  }
}

/** @returns the bytes of the line */
const append = (descriptor: number, writes: readonly Write[]): number => {
  const parts = writes.map(({ place, key, value }) => `[${JSON.stringify(place)},${JSON.stringify(key)},${value}]`)
  const line = Buffer.from(`[${parts.join()}]\n`)
  appendFileSync(descriptor, line)
  return line.length
}
