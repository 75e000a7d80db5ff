import { describe, expect, it } from 'vitest'
import { requests } from '../requests/requests.ts'
import { addsPets, findFaults, needsKeys, needsWriteScope } from '../requests/scenario.ts'
import { api, canIssueKeys, hasWriteScope, mayAddPets } from './api.ts'

describe.each(Object.entries(requests))('%s', (_name, scenarios) => {
  for (const scenario of scenarios) {
    const isSkipped =
      (needsKeys(scenario) && !canIssueKeys) ||
      (addsPets(scenario) && !mayAddPets) ||
      (needsWriteScope(scenario) && !hasWriteScope)

    it.skipIf(isSkipped)(scenario.title, async () => {
      expect(await findFaults(scenario, api)).toEqual([])
    })
  }
})
