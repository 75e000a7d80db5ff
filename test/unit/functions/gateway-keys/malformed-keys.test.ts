import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import type { GatewayKey } from '../../../../functions/gateway-keys/api-gateway.ts'
import { followTable } from '../../../../functions/gateway-keys/follow-table.ts'
import type { IssuedKey, KeyOrder } from '../../../../infra/commands/keys/key.ts'
import { KeyTable } from '../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { editItem } from '../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../../fixtures/database/engines.ts'
import { testTime } from '../../../fixtures/service/clock.ts'
import { openService, type Service } from '../../../fixtures/service/service.ts'

// The steps of the function are tested in follow-table.test.ts, on a table in memory.

const order: KeyOrder = { owner: 'Acme', plan: 'free', scope: 'read-write', limits: fixedPlans.free }

/** The time from which a key is metered whose gateway key was created at the test time, in Unix seconds. */
const anHourLater = testTime / 1_000 + 3_600

describeOnEachEngine('the function gateway-keys', (engine) => {
  let service: Service
  let damaged: IssuedKey
  let other: IssuedKey
  let gatewayKeys: GatewayKey[]
  let log: ReturnType<typeof vi.spyOn>

  beforeEach(async () => {
    service = await openService(engine)
    damaged = await service.keys.issue(order)
    other = await service.keys.issue(order)
    gatewayKeys = []
    log = vi.spyOn(console, 'error').mockReturnValue(undefined)
  })

  /** Runs the function on the table, and on an API Gateway in memory. */
  const run = (client: DynamoDBDocumentClient = service.client): Promise<void> =>
    followTable({
      table: new KeyTable(client, service.tables.apiKeys),
      gateway: {
        list: async () => ({ gatewayKeys: [...gatewayKeys], isUnlimitedKeyUsable: true }),
        create: async ({ gatewayKey, plan }) => {
          gatewayKeys.push({ id: `id of ${gatewayKey}`, value: gatewayKey, plan })
        },
        remove: async (id) => {
          gatewayKeys = gatewayKeys.filter((key) => key.id !== id)
        },
      },
      clock: service.time.clock,
      remainingMilliseconds: () => 600_000,
      pause: async () => undefined,
    })

  /** Edits the item of the damaged key by hand. */
  const damage = (change: Readonly<Record<string, unknown>>) =>
    editItem(service.client, service.tables.apiKeys, { keyHash: damaged.keyHash }, change)

  const listValues = (): string[] => gatewayKeys.map(({ value }) => value).toSorted()

  it.each([
    { attribute: 'plan', value: 'shelter' },
    { attribute: 'plan', value: undefined },
    { attribute: 'expiresAt', value: 'never' },
    { attribute: 'minuteLimit', value: 10n ** 30n },
  ])('a key whose $attribute is $value is named and skipped, and other keys are followed', async (edit) => {
    await damage({ [edit.attribute]: edit.value })

    await run()

    const message = `The API key ${damaged.record.keyId} cannot be read: its item has no valid ${edit.attribute}.`
    expect(log.mock.calls).toEqual([[message]])
    expect(listValues()).toEqual([other.record.gatewayKey])
    expect(await service.keys.show(other.record.keyId)).toMatchObject({ meteredFrom: anHourLater })
  })

  it('a key with malformed attributes that the function does not need is followed', async () => {
    await damage({ owner: undefined, minuteCount: 'many', contact: 5 })

    await run()

    expect(log).not.toHaveBeenCalled()
    expect(listValues()).toEqual([damaged.record.gatewayKey, other.record.gatewayKey].toSorted())
  })

  it('a key that is skipped keeps its gateway key', async () => {
    await run()
    await damage({ plan: 'shelter' })

    await run()

    expect(listValues()).toEqual([damaged.record.gatewayKey, other.record.gatewayKey].toSorted())
  })

  it('a revoked key that cannot be read loses its gateway key', async () => {
    await run()
    await damage({ plan: 'shelter', state: 'revoked' })

    await run()

    expect(log).not.toHaveBeenCalled()
    expect(listValues()).toEqual([other.record.gatewayKey])
  })
})
