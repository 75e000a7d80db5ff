/** The list of all known faults, by the part of the project in which each one is. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiKeys } from './api-keys.ts'
import { authorizer } from './authorizer.ts'
import { dynamodb } from './dynamodb.ts'
import { functions } from './functions.ts'
import { http } from './http.ts'
import { idempotency } from './idempotency.ts'
import type { KnownFault } from './known-fault.ts'
import { launcher } from './launcher.ts'
import { pets } from './pets.ts'
import { rateLimit } from './rate-limit.ts'

const parts = {
  'api-keys': apiKeys,
  authorizer,
  dynamodb,
  functions,
  http,
  idempotency,
  launcher,
  pets,
  'rate-limit': rateLimit,
} as const satisfies Readonly<Record<string, readonly KnownFault[]>>

export interface ListedFault extends KnownFault {
  readonly part: string
}

export const knownFaults: readonly ListedFault[] = Object.entries(parts).flatMap(([part, faults]) =>
  faults.map((fault) => ({ part, ...fault })),
)

export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** Finds what is wrong with a row of the list: in sentences that say what to correct. */
export const findMistakes = ({ part, title, file, find, replaceBy, test }: ListedFault): string[] => {
  const place = `test/mutation/known-faults/${part}.ts, "${title}"`
  const mistakes: string[] = []
  if (!existsSync(join(repositoryRoot, test))) mistakes.push(`${place}: there is no ${test}.`)
  if (find === replaceBy) mistakes.push(`${place}: the replacement is the text itself.`)
  if (!existsSync(join(repositoryRoot, file))) return [...mistakes, `${place}: there is no ${file}.`]

  const times = readFileSync(join(repositoryRoot, file), 'utf8').split(find).length - 1
  if (times !== 1) mistakes.push(`${place}: ${file} has the text ${times} times, and must have it once: ${find}`)
  return mistakes
}
