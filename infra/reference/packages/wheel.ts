import { createHash } from 'node:crypto'
import { strToU8, zipSync } from 'fflate'
import { type ClientPackage, license, readClientCode, writeReadme } from './client-package.ts'

/** Files by their paths in an archive. */
type ArchivedFiles = Readonly<Record<string, string>>

/** Unix mode of each file: everybody may read it, and its owner may write it. */
const fileAttributes = 0o100644 * 2 ** 16

/** Builds the wheel of the Python client: a zip archive with three files of metadata (PEP 427). */
export const buildWheel = (): ClientPackage => {
  const client = readClientCode('Python', 'pet_adoption.py')
  const version = /^__version__ = "(.*)"$/m.exec(client)?.[1]
  if (version === undefined) throw new Error('pet_adoption.py must have a __version__.')

  const metadataFolder = `pet_adoption-${version}.dist-info`
  const files: ArchivedFiles = {
    'pet_adoption/__init__.py': client,
    // Tells type checkers that the client has types (PEP 561).
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
  // The earliest time of a zip archive, 1980. The library writes the local time.
  const mtime = new Date(1980, 0, 1)
  const contents = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const)
  return Buffer.from(zipSync(Object.fromEntries(contents), { level: 0, mtime, os: 3, attrs: fileAttributes }))
}

/** Writes the list of all files with their hashes and lengths. The list itself has neither. */
const writeRecord = (files: ArchivedFiles, recordPath: string): string => {
  const lines = Object.entries(files).map(([path, text]) => {
    const hash = createHash('sha256').update(text).digest('base64url')
    return `${path},sha256=${hash},${Buffer.byteLength(text)}\n`
  })
  return `${lines.join('')}${recordPath},,\n`
}
