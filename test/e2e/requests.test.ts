import { describe, expect, it } from 'vitest'
import { requests } from '../requests/requests.ts'
import { addsPets, findFaults, needsKeys } from '../requests/scenario.ts'
import { api, canIssueKeys, mayAddPets } from './api.ts'

// One test for each scenario. Those that need what cannot be had, or must not be done, are skipped.
describe.each(Object.entries(requests))('%s', (_name, scenarios) => {
  for (const scenario of scenarios) {
    const isLeftOut = (needsKeys(scenario) && !canIssueKeys) || (addsPets(scenario) && !mayAddPets)
    it.skipIf(isLeftOut)(scenario.title, async () => expect(await findFaults(scenario, api)).toEqual([]))
  }
})
