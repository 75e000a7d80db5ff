import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

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
  readFileSync(new URL(`../clients/${language.toLowerCase()}/${name}`, import.meta.url), 'utf8')

/**
 * Adapts an example in TypeScript to callers who have installed the package. They import it by its name, and need no
 * types, so that an older Node.js runs the example as JavaScript. An example in Python stays as it is.
 */
export const adaptToPackage = (example: string): string =>
  example
    .replace('./pet-adoption-client.ts', 'pet-adoption-client')
    .replace(/\.ts`, with Node\.js 22\.18/, '.mjs`, with Node.js 22')

export const license = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8')

/** Writes the text about a package, with an example that uses the local environment. */
export const writeReadme = (codeBlock: 'ts' | 'python', example: string): string => `# Pet Adoption client

Follows the pages of lists, retries requests, and follows new pets. Integers stay exact.

\`\`\`${codeBlock}
${example}\`\`\`
`
