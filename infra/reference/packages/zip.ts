import { crc32 } from 'node:zlib'

/** Files by their paths in an archive. */
export type ArchivedFiles = Readonly<Record<string, string>>

const storedMethod = 0
const versionNeeded = 20
/** Unix is the system of the attributes below. */
const versionMadeBy = (3 << 8) | versionNeeded
/** 1 January 1980, the first day that an archive can have. */
const dosDate = (1 << 5) | 1
/** A file that everybody may read and its owner may write, as Unix has it. */
const fileAttributes = 0o100644 * 2 ** 16

/**
 * Writes a zip archive (APPNOTE.TXT of PKWARE). The same files make the same bytes: they have no time, and are stored
 * without compression, which differs between versions of zlib.
 */
export const writeZip = (files: ArchivedFiles): Buffer => {
  const localParts: Buffer[] = []
  const directoryParts: Buffer[] = []
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path)
    const content = Buffer.from(text)
    const description = describeFile(name, content)
    const local = Buffer.concat([writeNumbers([[4, 0x04034b50]]), description, name, content])

    localParts.push(local)
    directoryParts.push(
      writeNumbers([
        [4, 0x02014b50],
        [2, versionMadeBy],
      ]),
      description,
      // No comment, the first disk, and no attributes of DOS.
      writeNumbers([
        [2, 0],
        [2, 0],
        [2, 0],
        [4, fileAttributes],
        [4, offset],
      ]),
      name,
    )
    offset += local.length
  }

  const directory = Buffer.concat(directoryParts)
  const count = localParts.length
  const end = writeNumbers([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directory.length],
    [4, offset],
    [2, 0],
  ])
  return Buffer.concat([...localParts, directory, end])
}

/** Writes the fields that a local header and an entry of the directory share. */
const describeFile = (name: Buffer, content: Buffer): Buffer =>
  writeNumbers([
    [2, versionNeeded],
    // No flags.
    [2, 0],
    [2, storedMethod],
    // Midnight.
    [2, 0],
    [2, dosDate],
    [4, crc32(content)],
    // The compressed length is the length.
    [4, content.length],
    [4, content.length],
    [2, name.length],
    // No extra field.
    [2, 0],
  ])

/** Writes numbers in little endian, each with its number of bytes. */
const writeNumbers = (numbers: readonly (readonly [bytes: number, value: number])[]): Buffer =>
  Buffer.concat(
    numbers.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes)
      buffer.writeUIntLE(value, 0, bytes)
      return buffer
    }),
  )
