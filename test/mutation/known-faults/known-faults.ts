/** The list of all known faults, by the part of the project in which each one is. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alarms } from './alarms.ts'
import { apiKeys } from './api-keys.ts'
import { audit } from './audit.ts'
import { authorizer } from './authorizer.ts'
import { clients } from './clients.ts'
import { constructs } from './constructs.ts'
import { contract } from './contract.ts'
import { dynamodb } from './dynamodb.ts'
import { functions } from './functions.ts'
import { http } from './http.ts'
import { idempotency } from './idempotency.ts'
import { keysCommand } from './keys-command.ts'
import type { KnownFault } from './known-fault.ts'
import { otherCommands } from './other-commands.ts'
import { page } from './page.ts'
import { permissions } from './permissions.ts'
import { pets } from './pets.ts'
import { rateLimit } from './rate-limit.ts'
import { stacks } from './stacks.ts'

const parts = {
  'api-keys': apiKeys,
  audit,
  authorizer,
  dynamodb,
  functions,
  http,
  idempotency,
  pets,
  'rate-limit': rateLimit,
  stacks,
  permissions,
  page,
  'other-commands': otherCommands,
  'keys-command': keysCommand,
  contract,
  constructs,
  clients,
  alarms,
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
