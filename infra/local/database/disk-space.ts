import { statfs } from 'node:fs/promises'

/** A database that is to grow by less than this cannot be told from one on a full disk. */
const leastBytes = 1024 * 1024
const lookMilliseconds = 1_000

/**
 * Says on standard error that the disk of a folder is full, and later that it no longer is: for an engine
 * that answers just "unknown error" then.
 *
 * @returns a function that ends it
 */
export const tellOfFullDisk = (folder: string): (() => void) => {
  let isFull = false
  const look = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < leastBytes === isFull) return
    isFull = !isFull
    console.error(
      isFull
        ? `[database] The disk of ${folder} is full. Requests fail until you free some space.`
        : '[database] The disk has space again.',
    )
  }
  const timer = setInterval(() => look().catch(() => undefined), lookMilliseconds).unref()
  return () => clearInterval(timer)
}
