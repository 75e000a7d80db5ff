import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of the lock file. */
export interface LockedPackage {
  /** Where it is installed, such as `node_modules/ajv`. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** An SPDX expression, from the lock file or else its package.json; `none` where it states none. */
  readonly licence: string
  /** Whether only development needs it. */
  readonly isDevelopment: boolean
  /** Whether it came inside another package's archive, whose integrity covers it. */
  readonly isBundled: boolean
  readonly integrity: string | undefined
  readonly hasInstallScript: boolean
}

interface LockEntry {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly inBundle?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

export const readLockedPackages = (): readonly LockedPackage[] => {
  // npm writes this file, in the form of "package-lock.json" in its documentation.
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, LockEntry>>
  }
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      path,
      name: path.split('node_modules/').at(-1) ?? path,
      version: entry.version,
      licence: entry.license ?? statedLicence(path),
      isDevelopment: entry.dev === true,
      isBundled: entry.inBundle === true,
      integrity: entry.integrity,
      hasInstallScript: entry.hasInstallScript === true,
    }))
}

const statedLicence = (path: string): string => {
  const file = join(path, 'package.json')
  if (!existsSync(file)) return 'none'
  const { license }: { license?: string | { type: string } } = JSON.parse(readFileSync(file, 'utf8'))
  return typeof license === 'object' ? license.type : (license ?? 'none')
}
