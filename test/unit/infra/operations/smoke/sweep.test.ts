import { expect, it } from 'vitest'
import { createSmokeKeyOrder, smokeKeySeconds, sweepSmokeRuns } from '../../../../../infra/operations/smoke/sweep.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { drawPetId } from '../../../../../shared/pets/pet-id.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService } from '../../../../fixtures/service.ts'

describeOnEachEngine('a sweep after smoke tests', (engine) => {
  it('removes the pets that the meant runs have added, revokes their keys, which end in an hour, and no others', async () => {
    const { client: database, tables, keys } = await openService(engine)
    const add = async (contact: string, change = {}) => {
      const { record } = await keys.issue({ ...createSmokeKeyOrder(contact, 'pro', fixedPlans.pro), ...change })
      const pets = new PetStore(database, tables.pets, record.keyId)
      const id = drawPetId(Date.now())
      await pets.put({ id, name: 'Bella', categoryId: 1n, status: 'sold' }, 'an attempt')
      const isThere = async () => (await pets.find(id)) !== undefined
      return { ...record, now: async () => [(await keys.show(record.keyId)).state, await isThere()] }
    }
    const killed = [await add('killed'), await add('killed')]
    const others = [await add('other'), await add('killed', { owner: 'A shelter' })]
    // A test has revoked it.
    await keys.revoke(killed[1]?.keyId ?? '')

    await sweepSmokeRuns({ database, tables }, keys, ({ contact }) => contact === 'killed')

    for (const { now, expiresAt = 0 } of killed) {
      expect(await now()).toEqual(['revoked', false])
      expect(Math.abs(expiresAt - smokeKeySeconds - Date.now() / 1_000)).toBeLessThan(60)
    }
    for (const { now } of others) expect(await now()).toEqual(['active', true])
  })
})
