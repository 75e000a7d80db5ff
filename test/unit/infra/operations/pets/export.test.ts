import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportPets } from '../../../../../infra/operations/pets/export.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createColleague } from '../../../../fixtures/colleague.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService } from '../../../../fixtures/service.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

describeOnEachEngine('an export', (engine) => {
  it('an export has every pet, the newest first, though others change the statuses of pets meanwhile', async () => {
    const service = await openService(engine)
    const colleague = createColleague(service.client, service.tables.pets)
    const pets: Pet[] = []
    for (let index = 0; index < 200; index += 1) {
      service.time.advance(1)
      const pet = { name: 'Bella', categoryId: 1n, status: 'available' } as const
      pets.push(await addPet(service.pets, pet, service.time.clock))
    }
    let isExported = false
    const changeStatusRepeatedly = async (pet: Pet): Promise<void> => {
      while (!isExported) {
        await colleague.store({ ...pet, status: 'available' })
        await colleague.store({ ...pet, status: 'sold' })
      }
    }
    const file = join(createTemporaryFolder(), 'pets.jsonl')
    const environment = {
      name: 'local' as const,
      baseUrl: '',
      auditTrail: { file: '' },
      tables: service.tables,
      database: service.client,
      [Symbol.dispose]: () => undefined,
    }

    const changes = pets.slice(0, 20).map(changeStatusRepeatedly)
    await exportPets(environment, { out: file })
    isExported = true
    await Promise.all(changes)

    const lines = readFileSync(file, 'utf8').trim().split('\n')
    const exportedIds = lines.map((line) => BigInt(JSON.parse(line).id))
    expect(exportedIds).toEqual(pets.map(({ id }) => id).toReversed())
  })
})
