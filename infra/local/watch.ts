import { watch } from 'node:fs'

/** Editors write a file in several steps, and a checkout changes many files. */
const quietMilliseconds = 200

/**
 * Calls back when something below the folders has changed and then nothing for a moment; one call
 * ends before the next begins.
 *
 * @returns a function that ends the watch
 */
export const watchFolders = (folders: readonly string[], changed: () => Promise<void>): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true, persistent: false }, () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        running = running.then(changed)
      }, quietMilliseconds)
    }),
  )
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
