import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { sourceMapOf } from './function-bundle.ts'

/** A place in a bundle, as in a stack trace. */
const placeInBundle = /(?:file:\/\/)?[^\s()"'\\]*[\\/]index\.js:(\d+):(\d+)/g

/**
 * Gives a function that names the sources in a stack trace of a function, where the trace names its bundle. Bundles have no
 * source map: it is made at the first trace, and only while the sources are those of the bundle.
 *
 * @param name a folder of `functions/`
 * @param folder of its bundle
 */
export const originalPlaces = (name: string, folder: string): ((line: string) => string) => {
  let map: SourceMap | undefined
  const findMap = (): SourceMap | undefined => {
    try {
      const { code, sourceMap } = sourceMapOf(name)
      return code === readFileSync(join(folder, 'index.js'), 'utf8') ? new SourceMap(JSON.parse(sourceMap)) : undefined
    } catch {
      // The sources do not build, so they are no longer those of the bundle.
      return undefined
    }
  }
  return (line) => {
    if (line.search(placeInBundle) === -1) return line
    map ??= findMap()
    return line.replaceAll(placeInBundle, (place, row, column) => {
      const entry = map?.findEntry(Number(row) - 1, Number(column) - 1)
      return entry !== undefined && 'originalSource' in entry
        ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
        : place
    })
  }
}
