import { inflateRawSync } from 'node:zlib'

const signatures = { end: 0x06054b50, entry: 0x02014b50 } as const

/** The files of an archive as the CDK makes it, by their paths: stored or deflated, and nowhere near the limits of the format. */
export const filesOfZip = (archive: Buffer): ReadonlyMap<string, Buffer> => {
  const end = archive.lastIndexOf(Buffer.from(Uint32Array.of(signatures.end).buffer))
  if (end < 0) throw new Error('This is no zip archive.')
  const files = new Map<string, Buffer>()
  let entry = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(entry) !== signatures.entry) throw new Error('The directory of the archive is broken.')
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((at) => archive.readUInt16LE(entry + at))
    const nameEnd = entry + 46 + (nameLength ?? 0)
    const path = archive.toString('utf8', entry + 46, nameEnd)
    if (!path.endsWith('/')) files.set(path, contentOf(archive, entry))
    entry = nameEnd + (extraLength ?? 0) + (commentLength ?? 0)
  }
  return files
}

const contentOf = (archive: Buffer, entry: number): Buffer => {
  const isDeflated = archive.readUInt16LE(entry + 10) === 8
  const size = archive.readUInt32LE(entry + 20)
  const local = archive.readUInt32LE(entry + 42)
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const bytes = archive.subarray(start, start + size)
  return isDeflated ? inflateRawSync(bytes) : bytes
}
