import { gzipSync } from 'fflate'
import { createTar } from 'nanotar'
import ts from 'typescript'
import { adaptToPackage, type ClientPackage, license, readClientCode, writeReadme } from './client-package.ts'

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  declaration: true,
  isolatedDeclarations: true,
}

/** Attributes of each file. Without times and owners the same code makes the same bytes on every machine. */
const fileAttributes = { mtime: 0, uid: 0, gid: 0, mode: '644' }

/**
 * Builds the npm package of the TypeScript client: a tar archive in gzip, in which all files are in the folder
 * `package`. The compiler only removes the types here. `npm run check` checks them.
 */
export const buildNpmPackage = (): ClientPackage => {
  const client = readClientCode('TypeScript', 'pet-adoption-client.ts')
  const version = /^const version = '([^']*)'/m.exec(client)?.[1]
  const description = {
    name: 'pet-adoption-client',
    version,
    description: 'A client of the Pet Adoption API',
    license: 'MIT',
    type: 'module',
    engines: { node: '>=22' },
    exports: './pet-adoption-client.js',
    sideEffects: false,
  }
  const files = {
    'package.json': JSON.stringify(description, null, 2),
    'pet-adoption-client.js': transpileClient(),
    'pet-adoption-client.d.ts': writeDeclarations('pet-adoption-client.ts'),
    'pet-adoption-api.generated.d.ts': writeDeclarations('pet-adoption-api.generated.ts'),
    'README.md': writeReadme('ts', adaptToPackage(readClientCode('TypeScript', 'example.ts'))),
    LICENSE: license,
  }
  const archive = createTar(
    Object.entries(files).map(([name, text]) => ({ name: `package/${name}`, data: text, attrs: fileAttributes })),
  )
  return {
    language: 'TypeScript',
    name: `${description.name}-${version}.tgz`,
    body: Buffer.from(gzipSync(archive, { mtime: 0, level: 9 })),
  }
}

/** Returns the client as JavaScript. */
export const transpileClient = (): string =>
  ts.transpileModule(readClientCode('TypeScript', 'pet-adoption-client.ts'), { compilerOptions }).outputText

const writeDeclarations = (name: string): string =>
  ts.transpileDeclaration(readClientCode('TypeScript', name), { fileName: name, compilerOptions }).outputText
