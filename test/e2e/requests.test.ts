import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactJson, stringifyExactJson } from '../../shared/exact-json.ts'
import { chooseBySize } from '../fixtures/machine/size.ts'
import { generateContractPets } from '../fixtures/service/contract-pets.ts'
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

it.skipIf(!mayAddPets)('each pet that the contract allows is read back exactly', async () => {
  const headers = { Authorization: `Bearer ${api.usual}`, 'Content-Type': 'application/json' }
  const property = fc.asyncProperty(generateContractPets(), async (pet) => {
    const added = await api.send({ method: 'POST', target: '/pets', headers, body: stringifyExactJson(pet) })
    const { id } = JSON.parse(added.text)
    const found = await api.send({ method: 'GET', target: `/pets/${id}`, headers, body: undefined })

    expect(parseExactJson(added.text), 'the pet is accepted as it was sent').toEqual({
      ...pet,
      id: expect.anything(),
      status: pet.status ?? 'available',
    })
    expect(found.text, 'the pet is read as it was accepted').toBe(added.text)
  })

  await fc.assert(property, { numRuns: chooseBySize(20, 100) })
})
