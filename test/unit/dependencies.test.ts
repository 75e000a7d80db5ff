import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }

/** A package in package-lock.json. npm's documentation describes its properties. */
interface LockedPackage {
  /** An SPDX expression. */
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

interface NamedPackage extends LockedPackage {
  readonly name: string
}

const lockFile: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)

const lockedPackages: NamedPackage[] = []
for (const [path, lockedPackage] of Object.entries(lockFile.packages)) {
  // The empty path is this project itself.
  if (path === '') continue
  lockedPackages.push({ ...lockedPackage, name: path.replace(/.*node_modules\//, '') })
}

/** Licences that require no more than their own text when the code is passed on. */
const permissiveLicences = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']

/** Licences of tools, which are not passed on. MPL-2.0 covers only its own files. CC-BY-4.0 requires attribution. */
const toolLicences = [...permissiveLicences, 'BlueOak-1.0.0', 'CC-BY-4.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0']

const hasAllowedLicence = ({ license = 'none', dev }: NamedPackage): boolean => {
  const allowed = dev ? toolLicences : permissiveLicences
  const choices = license.replace(/[()]/g, '').split(' OR ')
  return choices.some((choice) => allowed.includes(choice))
}

test('package.json names exact versions of its dependencies', () => {
  const { dependencies, devDependencies, optionalDependencies } = packageFile
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

test('package.json lets no package run an install script', () => {
  const denied: Record<string, boolean> = {}
  for (const { name, hasInstallScript } of lockedPackages) {
    if (hasInstallScript) denied[name] = false
  }
  expect(packageFile.allowScripts).toEqual(denied)
})

// Several copies would make the bundles larger. The clients themselves may differ in version: AWS publishes a client
// when it changes.
test('the clients of the AWS SDK share one copy of each package below them', () => {
  const names = lockedPackages.map(({ name }) => name).filter((name) => /^@(aws-sdk|smithy)\//.test(name))

  expect(names.length).toBeGreaterThan(20)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
})

test('packages of production have permissive licences', () => {
  const production = lockedPackages.filter(({ dev }) => !dev)
  expect(production.length).toBeGreaterThan(0)
  expect(production.filter((lockedPackage) => !hasAllowedLicence(lockedPackage))).toEqual([])
})

test('packages of development have licences for tools', () => {
  const development = lockedPackages.filter(({ dev }) => dev)
  expect(development.length).toBeGreaterThan(0)
  expect(development.filter((lockedPackage) => !hasAllowedLicence(lockedPackage))).toEqual([])
})
