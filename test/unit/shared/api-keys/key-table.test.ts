import { beforeEach, expect, it } from 'vitest'
import type { StoredKey } from '../../../../shared/api-keys/api-key-record.ts'
import { KeyTable } from '../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { createRecordingClient } from '../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../fixtures/service/service.ts'

describeOnEachEngine('KeyTable', (engine) => {
  let service: Service
  let stored: StoredKey
  beforeEach(async () => {
    service = await openService(engine)
    const { record } = await service.keys.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })
    stored = await service.keys.find(record.keyId)
  })

  // The databases of the tests are always consistent, so only the request shows that the read is.
  it('keys are listed by a strongly consistent read', async () => {
    const { client, calls } = createRecordingClient(engine)

    await new KeyTable(client, service.tables.apiKeys).list()

    expect(calls).toMatchObject([{ input: { ConsistentRead: true } }])
  })

  it('a change writes its attributes, removes those that are undefined, and leaves all others', async () => {
    const meteredFrom = 5
    await service.keyTable.change(stored, { meteredFrom })

    await service.keyTable.change({ ...stored, meteredFrom }, { meteredFrom: undefined, owner: 'Umbrella' })

    expect(await service.keyTable.list()).toEqual([{ ...stored, owner: 'Umbrella' }])
  })

  it.each([
    { what: 'the attribute that it writes', earlierChange: { owner: 'Initech' } },
    { what: 'the state', earlierChange: { state: 'revoked' } },
  ] as const)('a change is not made if $what has changed since the key was read', async ({ earlierChange }) => {
    await service.keyTable.change(stored, earlierChange)

    const outcome = await service.keyTable.change(stored, { owner: 'Umbrella' })

    expect(outcome).toMatchObject({ met: false, current: earlierChange })
    expect(await service.keyTable.list()).toMatchObject([earlierChange])
  })

  it('a change of a key that is not in the table adds no item', async () => {
    // Neither this key nor the table has an owner or a state under this hash, so only the condition that the key is in
    // the table is not met.
    const missing = { keyHash: 'missing' as StoredKey['keyHash'] }

    expect(await service.keyTable.change(missing, { owner: 'Umbrella' })).toMatchObject({ met: false })
    expect(await service.keyTable.list()).toEqual([stored])
  })
})
