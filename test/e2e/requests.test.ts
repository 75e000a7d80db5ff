import { describe, expect, it } from 'vitest'
import { requests } from '../requests/requests.ts'
import { addsPets, findFaults, needsKeys } from '../requests/scenario.ts'
import { api, canIssueKeys, mayAddPets } from './api.ts'

describe.each(Object.entries(requests))('%s', (_name, scenarios) => {
  for (const scenario of scenarios) {
    const isSkipped = (needsKeys(scenario) && !canIssueKeys) || (addsPets(scenario) && !mayAddPets)

    it.skipIf(isSkipped)(scenario.title, async () => {
      expect(await findFaults(scenario, api)).toEqual([])
    })
  }
})
