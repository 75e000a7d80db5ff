import { beforeEach, describe, expect, it } from 'vitest'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import type { GatewayKeyValue } from '../../shared/api-keys/api-key-record.ts'
import { createApiKeyRecord, createStoredKey } from '../fixtures/api-key-record.ts'
import { Metering } from './metering.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

const apiKey = 'pet_test_key'

describe('no request is billed to another key', () => {
  // The cast brands a value, as only the service creates such values.
  const ownValue = 'OwnGatewayKey' as GatewayKeyValue

  const createMetering = (): Metering => {
    const record = createApiKeyRecord({ gatewayKey: ownValue })
    const item = createStoredKey({ keyHash: hashApiKey(apiKey), record })
    return new Metering(history, { list: async () => [item] })
  }

  it('is broken by a request that is metered on the gateway key of another', async () => {
    await createMetering().onAuthorized('pet_test_another', ownValue)

    expect(history.listBroken()).toEqual(['no request is billed to another key'])
  })

  it('holds for a request that is metered on its own gateway key', async () => {
    await createMetering().onAuthorized(apiKey, ownValue)

    expect(history.listBroken()).toEqual([])
  })

  it('holds for a request that is metered on the unlimited gateway key', async () => {
    await createMetering().onAuthorized('pet_test_another', 'unlimited')

    expect(history.listBroken()).toEqual([])
  })
})

describe('API Gateway refuses no request that the table has admitted', () => {
  it('is broken by a refusal', () => {
    new Metering(history, { list: async () => [] }).onRefused(apiKey, 'THROTTLED')

    expect(history.listBroken()).toEqual(['API Gateway refuses no request that the table has admitted'])
  })
})
