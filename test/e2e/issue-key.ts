import { inject } from 'vitest'
import { openLocalKeys } from '../../infra/keys/local-keys.ts'
import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'

/** Absent when the suite is aimed at a deployed API, of which it has one key and no more. */
const dataFolder = inject('dataFolder')

export const canIssueKeys = dataFolder !== null

const keys = () => {
  if (dataFolder === null) throw new Error('Only the local environment issues keys to the suite.')
  return openLocalKeys(dataFolder)
}

export const administration = keys

/** A new key, so that no other test uses up its limits. */
export const issueKey = async (plan: Plan, allowance: Allowance): Promise<{ apiKey: string; keyId: string }> => {
  const { apiKey, record } = await keys().issue({ owner: 'the end-to-end tests', plan, allowance })
  return { apiKey, keyId: record.keyId }
}
