/** `npm run licences`: the packages whose code is deployed or comes with the service, and their licences. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleFunction } from '../infra/bundling/function-bundle.ts'
import { jsonOption } from '../infra/command-line/options.ts'
import { runCommand } from '../infra/command-line/run-command.ts'
import { commandLine, tool } from '../infra/command-line/tool.ts'
import { readLockedPackages } from './locked-packages.ts'

const description =
  'Lists each npm package that has code in a deployed function, as the bundler reports it, with its version, its licence and the functions. Its licence text is in node_modules/PACKAGE.'

const readOptions = (line: readonly string[]): { readonly json?: boolean | undefined } =>
  tool('npm run --silent licences --', description)
    .addOption(jsonOption)
    .addHelpText('after', '\nExit codes: 0 done; 1 a function could not be bundled.')
    .parse(line, { from: 'user' })
    .opts()

export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly functions: readonly string[]
}

/** @throws Error when a bundle contains code of a package that the lock file does not have. */
export const bundledPackages = (): readonly BundledPackage[] => {
  const locked = new Map(readLockedPackages().map((one) => [one.path, one]))
  const functionsOf = new Map<string, string[]>()
  for (const name of readdirSync('functions')) {
    for (const path of packagesIn(name)) functionsOf.set(path, [...(functionsOf.get(path) ?? []), name])
  }
  return [...functionsOf]
    .map(([path, functions]) => {
      const found = locked.get(path)
      if (found === undefined) throw new Error(`The lock file has no ${path}.`)
      return { name: found.name, version: found.version, licence: found.licence, functions }
    })
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

/** The folders of the packages that have code in the bundle of a function. */
const packagesIn = (functionName: string): ReadonlySet<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-bundle-'))
  try {
    const contents = [...bundleFunction(functionName, folder)]
    const modules = contents.filter(([, bytes]) => bytes > 0).map(([module]) => module)
    return new Set(modules.flatMap((module) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? []))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(() => {
    const { json } = readOptions(commandLine())
    const packages = bundledPackages()
    if (json) {
      console.log(JSON.stringify({ packages }))
      return
    }
    const width = Math.max(...packages.map(({ name, version }) => `${name} ${version}`.length))
    for (const { name, version, licence, functions } of packages) {
      console.log(`${`${name} ${version}`.padEnd(width)}  ${licence.padEnd(12)}  ${functions.join(', ')}`)
    }
  })
}
