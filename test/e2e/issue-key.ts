import { inject } from 'vitest'
import { administer } from '../../infra/operations/keys/administer.ts'
import type { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { smokeKey } from '../../infra/operations/smoke/sweep.ts'
import { openEnvironment } from '../../infra/operations/target/open-environment.ts'
import type { Scope } from '../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'
import { findLocalKeys } from '../fixtures/local-keys.ts'

/** Of `npm run smoke`, which revokes the keys of its run. */
const { PET_API_RUN: run } = process.env

const dataFolder = inject('dataFolder')
const environment = inject('environment')

/** Not when the suite is aimed at an API of which it has one key and no more. */
export const canIssueKeys = dataFolder !== null || environment !== null

const deployed = environment === null ? undefined : administer(await openEnvironment({ environment }))
const local = dataFolder === null ? undefined : await findLocalKeys(dataFolder)

export const administration = (): KeyAdministration => {
  const keys = deployed ?? local
  if (keys === undefined) throw new Error('Set PET_API_ENVIRONMENT for tests that issue keys of a deployed API.')
  return keys
}

/** A new key, so that no other test uses up its limits. It works, and has made no request. */
export const issueKey = async (
  plan: Plan,
  allowance: Allowance,
  scope: Scope = 'read-write',
): Promise<{ apiKey: string; keyId: string }> => {
  const order = run === undefined ? { owner: 'the end-to-end tests', plan, allowance } : smokeKey(run, plan, allowance)
  const { apiKey, record } = await administration().issue({ ...order, scope })
  return { apiKey, keyId: record.keyId }
}
