import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildFolder } from '../../command-line/build-folder.ts'
import { adaptToPackage } from '../client-files.ts'
import { type ClientPackage, license, writeReadme } from './client-package.ts'

const sources = new URL('../clients/typescript/', import.meta.url)
const cacheFolder = join(buildFolder, 'clients')
const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))

const compilerSettings = {
  compilerOptions: {
    rootDir: 'sources',
    outDir: '.',
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    types: [],
    strict: true,
    declaration: true,
  },
  files: ['sources/pet-adoption-client.ts'],
}

/**
 * Builds the npm package of the TypeScript client. The compiler and npm take some seconds, so the package of the same
 * sources is kept.
 */
export const buildNpmPackage = (): ClientPackage => {
  const files = readPackageFiles()
  const compilerPackage = readFileSync(join(dirname(compiler), '../package.json'), 'utf8')
  const input = { files, compilerPackage, node: process.version }
  const hash = createHash('sha256').update(JSON.stringify(input)).digest('hex')

  const keptFile = join(cacheFolder, `${hash}.tgz`)
  if (!existsSync(keptFile)) {
    mkdirSync(cacheFolder, { recursive: true })
    packFiles(files, keptFile)
  }
  return { language: 'TypeScript', name: readPackageName(files), body: readFileSync(keptFile) }
}

/** Reads the files of the package before the compiler runs. */
export const readPackageFiles = () => {
  const client = readSource('pet-adoption-client.ts')
  const description = {
    name: 'pet-adoption-client',
    version: /^const version = '([^']*)'/m.exec(client)?.[1],
    description: 'A client of the Pet Adoption API',
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20' },
    exports: './pet-adoption-client.js',
    // npm adds the README and the licence.
    files: ['*.js', '*.d.ts'],
    sideEffects: false,
  }
  const example = adaptToPackage(readSource('example.ts'))
  return {
    'sources/pet-adoption-client.ts': client,
    'sources/pet-adoption-api.generated.ts': readSource('pet-adoption-api.generated.ts'),
    'package.json': JSON.stringify(description, null, 2),
    'tsconfig.json': JSON.stringify(compilerSettings),
    'README.md': writeReadme('ts', example),
    LICENSE: license,
  }
}

type PackageFiles = ReturnType<typeof readPackageFiles>

/** Reads the name that `npm pack` gives to the package. */
const readPackageName = (files: PackageFiles): string => {
  const { name, version } = JSON.parse(files['package.json'])
  return `${name}-${version}.tgz`
}

const readSource = (name: string): string => readFileSync(new URL(name, sources), 'utf8')

/**
 * Compiles the sources and packs the results, in a temporary folder. `npm pack` writes neither times nor owners, so the
 * same files make the same package.
 */
export const packFiles = (files: PackageFiles, packageFile: string): void => {
  const folder = mkdtempSync(join(dirname(packageFile), 'building-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    execFileSync(process.execPath, [compiler, '--project', folder])
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', '.'], {
      cwd: folder,
      // The message of an error has what npm prints there.
      stdio: 'pipe',
      // Windows starts a script such as npm only in a shell.
      shell: process.platform === 'win32',
    })
    // Replaces the file of another process that has built the same package at this time.
    renameSync(join(folder, readPackageName(files)), packageFile)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
