import { beforeEach, expect, it } from 'vitest'
import { createSmokeKeyOrder, smokeKeySeconds, sweepSmokeRuns } from '../../../../../infra/operations/smoke/sweep.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { drawPetId } from '../../../../../shared/pets/pet-id.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { createMemoryAudit, type MemoryAudit } from '../../../../fixtures/audit.ts'
import { createInterceptingClient } from '../../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

describeOnEachEngine('a sweep after smoke tests', (engine) => {
  let service: Service
  let audit: MemoryAudit

  beforeEach(async () => {
    service = await openService(engine)
    audit = createMemoryAudit()
  })

  /** Issues a key of a run, and adds a pet with it. */
  const addKeyWithPet = async (run: string, changes: { readonly owner?: string } = {}) => {
    const order = createSmokeKeyOrder(run, 'pro', fixedPlans.pro)
    const { record } = await service.keys.issue({ ...order, ...changes })
    const petId = drawPetId(Date.now())
    const pets = new PetStore(service.client, service.tables.pets)
    await pets.put({ id: petId, name: 'Bella', categoryId: 1n, status: 'sold' }, 'an attempt', {
      addedBy: record.keyId,
    })
    return { keyId: record.keyId, petId }
  }

  type KeyWithPet = Awaited<ReturnType<typeof addKeyWithPet>>

  const findState = async ({ keyId }: KeyWithPet) => {
    const { state } = await service.keys.show(keyId)
    return state
  }

  const findPet = ({ petId }: KeyWithPet) => service.pets.find(petId)

  /** Sweeps the run `killed`. */
  const sweep = (database = service.client) =>
    sweepSmokeRuns(
      { database, tables: service.tables },
      { audit, keys: service.keys },
      ({ contact }) => contact === 'killed',
    )

  it('a sweep removes the pets of the run, and revokes its keys', async () => {
    const first = await addKeyWithPet('killed')
    const second = await addKeyWithPet('killed')

    await sweep()

    expect(await findState(first)).toBe('revoked')
    expect(await findPet(first)).toBeUndefined()
    expect(await findState(second)).toBe('revoked')
    expect(await findPet(second)).toBeUndefined()
  })

  it('a sweep removes the pet of a key that a test has revoked', async () => {
    await addKeyWithPet('killed')
    const revoked = await addKeyWithPet('killed')
    await service.keys.revoke(revoked.keyId)

    await sweep()

    expect(await findState(revoked)).toBe('revoked')
    expect(await findPet(revoked)).toBeUndefined()
  })

  it('a sweep records each pet that it removes', async () => {
    const { petId } = await addKeyWithPet('killed')

    await sweep()

    const change = {
      action: 'smoke',
      ids: [`${petId}`],
      old: { id: Number(petId), name: 'Bella', categoryId: 1, status: 'sold' },
      new: null,
    }
    expect(audit.lines).toMatchObject([
      { ...change, outcome: 'begun' },
      { ...change, outcome: 'done' },
    ])
  })

  it('a sweep that cannot remove a pet leaves its key, so that a later sweep finds both', async () => {
    const killed = await addKeyWithPet('killed')
    const client = createInterceptingClient(engine, 'DeleteItem', () => Promise.reject(new Error('no network')))

    await expect(sweep(client)).rejects.toThrow('no network')

    expect(await findState(killed)).toBe('active')
    await sweep()
    expect(await findState(killed)).toBe('revoked')
    expect(await findPet(killed)).toBeUndefined()
  })

  it('a sweep leaves the keys and pets of another run', async () => {
    await addKeyWithPet('killed')
    const other = await addKeyWithPet('other')

    await sweep()

    expect(await findState(other)).toBe('active')
    expect(await findPet(other)).toMatchObject({ name: 'Bella' })
  })

  it('a sweep leaves the keys and pets of another owner', async () => {
    await addKeyWithPet('killed')
    const other = await addKeyWithPet('killed', { owner: 'A shelter' })

    await sweep()

    expect(await findState(other)).toBe('active')
    expect(await findPet(other)).toMatchObject({ name: 'Bella' })
  })
})

it('a key of the smoke test ends in an hour', () => {
  const { expiresAt = 0 } = createSmokeKeyOrder('a run', 'pro', fixedPlans.pro)

  expect(smokeKeySeconds).toBe(3_600)
  expect(Math.abs(expiresAt - 3_600 - Date.now() / 1_000)).toBeLessThan(60)
})
