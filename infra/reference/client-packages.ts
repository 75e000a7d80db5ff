import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync, strToU8, zipSync } from 'fflate'
import { createTar } from 'nanotar'
import ts from 'typescript'

export type ClientLanguage = 'TypeScript' | 'Python'

/** A client as a file that a package manager installs. */
export interface ClientPackage {
  readonly language: ClientLanguage
  /** Name of the file, with the version of the client. */
  readonly name: string
  readonly body: Buffer
}

/**
 * Returns the path of a package from the root of the site. Its folder is a hash of the package, so a URL always has the
 * same bytes: `package-lock.json` keeps the hash of what npm has installed, and `npm ci` refuses anything else.
 */
export const getPackagePath = ({ name, body }: ClientPackage): string => {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return `packages/${hash}/${name}`
}

/** Reads the code of a client or of an example. */
export const readClientCode = (language: ClientLanguage, name: string): string =>
  readFileSync(new URL(`clients/${language.toLowerCase()}/${name}`, import.meta.url), 'utf8')

/**
 * Adapts an example in TypeScript to callers who have installed the package, which they import by its name. The
 * examples have no type annotations, so with the extension `.mjs` an older Node.js runs them as JavaScript. Their first
 * line says how to run them. An example in Python stays as it is.
 */
export const adaptToPackage = (example: string): string =>
  example
    .replace('./pet-adoption-client.ts', 'pet-adoption-client')
    .replace(/\.ts`, with Node\.js 22\.18/, '.mjs`, with Node.js 22')

/** Reads the version that the code of a client gives itself, in a line of its own. */
const readVersion = (client: string): string => {
  const [, version] = /^(?:const version|__version__) = ["'](.*)["']$/m.exec(client) ?? []
  if (version === undefined) throw new Error('Each client must have a line that sets its version.')
  return version
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  declaration: true,
  isolatedDeclarations: true,
}

/** Attributes of each file. Without times and owners the same code makes the same bytes on every machine. */
const tarAttributes = { mtime: 0, uid: 0, gid: 0, mode: '644' }

/**
 * Builds the npm package of the TypeScript client: a tar archive in gzip, in which all files are in the folder
 * `package`. The compiler only removes the types here: `npm run check` has checked them.
 */
export const buildNpmPackage = (): ClientPackage => {
  const client = readClientCode('TypeScript', 'pet-adoption-client.ts')
  const version = readVersion(client)
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
    Object.entries(files).map(([name, text]) => ({ name: `package/${name}`, data: text, attrs: tarAttributes })),
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

/** Files by their paths in an archive. */
type ArchivedFiles = Readonly<Record<string, string>>

/**
 * Unix mode of each file, in the upper 16 bits: everybody may read the file, and its owner may write it. Programs that
 * unzip read it only from an archive that was made on Unix, which is `os: 3`.
 */
const zipAttributes = 0o100644 * 2 ** 16

/** Builds the wheel of the Python client: a zip archive with three files of metadata (PEP 427). */
export const buildWheel = (): ClientPackage => {
  const client = readClientCode('Python', 'pet_adoption.py')
  const version = readVersion(client)

  const metadataFolder = `pet_adoption-${version}.dist-info`
  const files: ArchivedFiles = {
    'pet_adoption/__init__.py': client,
    // This empty file tells type checkers that the client has types (PEP 561).
    'pet_adoption/py.typed': '',
    [`${metadataFolder}/licenses/LICENSE`]: license,
    [`${metadataFolder}/METADATA`]: writeMetadata(version),
    [`${metadataFolder}/WHEEL`]: writeWheelFile(version),
  }
  const recordPath = `${metadataFolder}/RECORD`
  return {
    language: 'Python',
    name: `pet_adoption-${version}-py3-none-any.whl`,
    body: writeZip({ ...files, [recordPath]: writeRecord(files, recordPath) }),
  }
}

const writeMetadata = (version: string): string => `Metadata-Version: 2.4
Name: pet-adoption
Version: ${version}
Summary: A client of the Pet Adoption API
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.10
Requires-Dist: requests>=2.32.4,<3
Requires-Dist: urllib3>=2,<3
Description-Content-Type: text/markdown

${writeReadme('python', readClientCode('Python', 'example.py'))}`

const writeWheelFile = (version: string): string => `Wheel-Version: 1.0
Generator: pet-adoption-service (${version})
Root-Is-Purelib: true
Tag: py3-none-any
`

/** Writes a zip archive. The same files make the same bytes: they have no time, and are stored without compression. */
const writeZip = (files: ArchivedFiles): Buffer => {
  // A zip archive has no time before 1980. The library writes local time, so this one is local too.
  const mtime = new Date(1980, 0, 1)
  const contents = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const)
  return Buffer.from(zipSync(Object.fromEntries(contents), { level: 0, mtime, os: 3, attrs: zipAttributes }))
}

/** Writes the list of all files with their hashes and lengths. The list itself has neither. */
const writeRecord = (files: ArchivedFiles, recordPath: string): string => {
  const lines = Object.entries(files).map(([path, text]) => {
    const hash = createHash('sha256').update(text).digest('base64url')
    return `${path},sha256=${hash},${Buffer.byteLength(text)}\n`
  })
  return `${lines.join('')}${recordPath},,\n`
}

const license = readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8')

/** Writes the text about a package, with an example that uses the local environment. */
const writeReadme = (codeBlock: 'ts' | 'python', example: string): string => `# Pet Adoption client

Lists pets across pages, waits for new pets, and sends a request again that got no answer. Integers beyond 2^53 keep all
digits.

\`\`\`${codeBlock}
${example}\`\`\`
`
