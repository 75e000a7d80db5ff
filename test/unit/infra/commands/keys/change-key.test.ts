import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import type { IssuedKey } from '../../../../../infra/commands/keys/key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { readTargetChanges } from '../../../../fixtures/commands/audit.ts'
import { createKeyOperator } from '../../../../fixtures/commands/key-operator.ts'
import {
  createForgetfulClient,
  createInterceptingClient,
  createWrappedClient,
} from '../../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../../fixtures/service/service.ts'

describeOnEachEngine('a change of a key', (engine) => {
  let service: Service
  let issued: IssuedKey
  let keyId: string

  beforeEach(async () => {
    service = await openService(engine)
    issued = await service.keys.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })
    keyId = issued.record.keyId
  })

  /** Opens the keys for a second operator, whose calls go through a client. */
  const openKeys = (database: Service['client']) =>
    createKeyOperator({ name: 'local', database, tables: service.tables }, { clock: service.time.clock })

  const readChanges = async (): Promise<readonly string[]> => {
    const changes = await readTargetChanges({ database: service.client, tables: service.tables }, `key#${keyId}`)
    // Changes of the same millisecond have no order.
    return changes.map(({ action, outcome }) => `${action}: ${outcome}`).toSorted()
  }

  it('a change that the audit cannot record is not made', async () => {
    const database = createInterceptingClient(engine, 'PutItem', () => Promise.reject(new Error('no network')))

    await expect(openKeys(database).set(keyId, { owner: 'Umbrella' })).rejects.toThrow('no network')

    expect(await service.keys.show(keyId)).toMatchObject({ owner: 'Acme' })
  })

  it('a change whose response is lost is made once, and is no conflict', async () => {
    await openKeys(createForgetfulClient(engine)).set(keyId, { owner: 'Umbrella' })

    expect(await readChanges()).toEqual(['keys issue: made', 'keys set: made'])
  })

  it('a change whose response is lost was made if a later change names it', async () => {
    let sent = 0
    const database = createWrappedClient(engine, async (operation, send) => {
      if (operation !== 'UpdateItem') return send()
      sent += 1
      await send()
      await service.keys.set(keyId, { contact: 'b@example.org' })
      return send()
    })

    const key = await openKeys(database).set(keyId, { owner: 'Umbrella' })

    expect(sent).toBe(1)
    expect(key).toMatchObject({ owner: 'Umbrella', contact: 'b@example.org' })
    expect(await readChanges()).toEqual(['keys issue: made', 'keys set: made', 'keys set: made'])
  })

  it('a change before which another command changes the key is a conflict, and is not made', async () => {
    const database = createInterceptingClient(engine, 'UpdateItem', async () => {
      await service.keys.set(keyId, { owner: 'Umbrella' })
    })

    const change = openKeys(database).set(keyId, { owner: 'Initech' })

    await expect(change).rejects.toMatchObject({ name: 'ConflictError', exitCode: 3 })
    expect(await service.keys.show(keyId)).toMatchObject({ owner: 'Umbrella' })
    expect(await readChanges()).toEqual(['keys issue: made', 'keys set: made', 'keys set: not made so far'])
  })

  it('a change of a key that somebody has deleted adds no item', async () => {
    const { keyHash } = issued
    const database = createInterceptingClient(engine, 'UpdateItem', async () => {
      await service.client.send(new DeleteCommand({ TableName: service.tables.apiKeys, Key: { keyHash } }))
    })

    await expect(openKeys(database).revoke(keyId)).rejects.toThrow(`The API key ${keyId} is not in the table any more.`)

    expect((await service.keys.list()).keys).toEqual([])
  })

  it.each([
    { failure: 'is not answered', error: { $metadata: { attempts: 8 } } },
    {
      failure: 'is refused after an attempt without a response',
      error: { $fault: 'client', $metadata: { attempts: 2 } },
    },
  ])('a change of which the write $failure has an unknown outcome', async ({ error }) => {
    const database = createInterceptingClient(engine, 'UpdateItem', () =>
      Promise.reject(Object.assign(new Error('socket hang up'), error)),
    )

    const change = openKeys(database).set(keyId, { owner: 'Umbrella' })

    await expect(change).rejects.toThrow(`Whether the change was made is not known, see "npm run audit -- ${keyId}".`)
  })

  it('a change whose write AWS refuses at once fails with the error of AWS', async () => {
    const refusal = Object.assign(new Error('expired'), { $fault: 'client', $metadata: { attempts: 1 } })
    const database = createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(refusal))

    await expect(openKeys(database).set(keyId, { owner: 'Umbrella' })).rejects.toBe(refusal)
  })
})
