import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'

/** One change of a key's value, which is a JSON text; `null` removes it. */
export interface Write {
  /** Such as the items of a table, or the entries of an index. */
  readonly place: string
  readonly key: string
  readonly value: string | null
}

/** Writes that happen together are one line of JSON: after `kill -9` all of them are there, or none. */
export interface Journal {
  /** @throws Error of the operating system, such as ENOSPC; then nothing is kept of them. */
  append(writes: readonly Write[]): void
  close(): void
}

/** A journal longer than this and than twice its contents is written anew. */
const toleratedBytes = 64 * 1024 * 1024

const spaceForStart = 64 * 1024

/**
 * Opens a journal, and replays it. A write is in the operating system's hands when `append` returns, so it outlives
 * this process, though not a loss of power.
 *
 * @param contents all that is kept: what the journal becomes when it has grown too long
 */
export const openJournal = (file: string, replay: (write: Write) => void, contents: () => Iterable<Write>): Journal => {
  let descriptor = openSync(file, 'a+')
  let length = readLines(file, (line) => {
    for (const [place, key, value] of JSON.parse(line)) {
      replay({ place, key, value: value === null ? null : JSON.stringify(value) })
    }
  })
  // A disk without space for a start's own writes is found here.
  writeWhole(descriptor, ' '.repeat(spaceForStart))
  // What a killed process had not written to its end was not acknowledged.
  ftruncateSync(descriptor, length)
  let limit = toleratedBytes

  const shorten = (): void => {
    const shorter = `${file}.shorter`
    try {
      const opened = openSync(shorter, 'w+')
      let total = 0
      for (const write of contents()) total += writeWhole(opened, lineOf([write]))
      renameSync(shorter, file)
      closeSync(descriptor)
      descriptor = opened
      length = total
    } catch {
      // The longer one is as good. The disk may have space for a shorter one later.
      rmSync(shorter, { force: true })
    }
    limit = Math.max(toleratedBytes, length * 2)
  }

  return {
    append: (writes) => {
      try {
        length += writeWhole(descriptor, lineOf(writes))
      } catch (error) {
        ftruncateSync(descriptor, length)
        throw error
      }
      if (length > limit) shorten()
    },
    close: () => closeSync(descriptor),
  }
}

const lineOf = (writes: readonly Write[]): string =>
  `[${writes.map(({ place, key, value }) => `[${JSON.stringify(place)},${JSON.stringify(key)},${value}]`).join()}]\n`

/** A disk that becomes full takes a part of a text before it refuses more. @returns the bytes of the text */
const writeWhole = (descriptor: number, text: string): number => {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
  return bytes.length
}

const lineFeed = 10

/** @returns the bytes of all complete lines */
const readLines = (file: string, take: (line: string) => void): number => {
  const bytes = readFileSync(file)
  let start = 0
  for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
    take(bytes.toString('utf8', start, end))
    start = end + 1
  }
  return start
}
