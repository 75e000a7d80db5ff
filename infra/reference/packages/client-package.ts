import { readFileSync } from 'node:fs'
import type { ClientLanguage } from '../client-files.ts'

/** A client as a file that a package manager installs. */
export interface ClientPackage {
  readonly language: ClientLanguage
  /** Name of the file, with the version of the client. */
  readonly name: string
  readonly body: Buffer
}

export const license = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8')

/** Writes the text about a package, with an example that uses the local environment. */
export const writeReadme = (codeBlock: 'ts' | 'python', example: string): string => `# Pet Adoption client

Follows the pages of lists, retries requests, and follows new animals. Integers stay exact.

\`\`\`${codeBlock}
${example}\`\`\`
`
