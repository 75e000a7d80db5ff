import { inject } from 'vitest'
import type { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { openDeployedKeys } from '../../infra/operations/keys/deployed/deployed-keys.ts'
import { waitUntilReady } from '../../infra/operations/keys/deployed/readiness.ts'
import { findLocalKeys } from '../../infra/operations/keys/local-keys.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'
import { baseUrl } from './api.ts'

const dataFolder = inject('dataFolder')
const environment = inject('environment')

/** Not when the suite is aimed at an API of which it has one key and no more. */
export const canIssueKeys = dataFolder !== null || environment !== null

const deployed = environment === null ? undefined : await openDeployedKeys(environment)
const local = dataFolder === null ? undefined : await findLocalKeys(dataFolder)

export const administration = (): KeyAdministration => {
  const keys = deployed?.administration ?? local
  if (keys === undefined) throw new Error('Set PET_API_ENVIRONMENT for tests that issue keys of a deployed API.')
  return keys
}

/** A new key, so that no other test uses up its limits. It works, and has made no request. */
export const issueKey = async (plan: Plan, allowance: Allowance): Promise<{ apiKey: string; keyId: string }> => {
  const { apiKey, record } = await administration().issue({ owner: 'the end-to-end tests', plan, allowance })
  await becomeReady(apiKey)
  return { apiKey, keyId: record.keyId }
}

/** API Gateway takes a while to know a key, and each try counts: what was counted is taken back. */
const becomeReady = async (apiKey: string): Promise<void> => {
  if (deployed === undefined) return
  const { table } = deployed
  const forgetRequests = async () => {
    const none = { minuteCount: 0, dayCount: 0, refusalCount: 0, banCount: 0, bannedUntil: 0 }
    await table.change(hashApiKey(apiKey), none)
  }
  const report = (line: string) => console.error(line)
  const reason = await waitUntilReady({ baseUrl, apiKey, report, beforeTry: forgetRequests })
  if (reason !== undefined) throw new Error(`A new key does not work: ${reason}`)
  await forgetRequests()
}
