import { beforeEach, describe, expect, it } from 'vitest'
import type { GatewayKey } from '../../functions/gateway-keys/api-gateway.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, GatewayKeyValue } from '../../shared/api-keys/api-key-record.ts'
import { createApiKeyRecord, createStoredKey } from '../fixtures/api-key-record.ts'
import { noon } from '../fixtures/clock.ts'
import { compareGatewayKeys } from './gateway-key-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

describe('after two quiet runs API Gateway has exactly the keys asked for', () => {
  const invariant = 'after two quiet runs API Gateway has exactly the keys asked for'
  // The cast brands a value, as only the service creates such values.
  const ownValue = 'OwnGatewayKey' as GatewayKeyValue
  const inItsPlan: GatewayKey = { id: 'id-1', value: ownValue, plan: 'free' }

  const compare = (change: Partial<ApiKeyRecord>, gatewayKeys: readonly GatewayKey[]): readonly string[] => {
    const record = createApiKeyRecord({ gatewayKey: ownValue, ...change })
    const item = createStoredKey({ keyHash: hashApiKey('pet_test_key'), record })
    compareGatewayKeys(history, [item], gatewayKeys, noon)
    return history.listBroken()
  }

  it('is broken by a gateway key that is missing', () => {
    expect(compare({}, [])).toEqual([invariant])
  })

  it('is broken by a gateway key in another plan', () => {
    expect(compare({}, [{ ...inItsPlan, plan: 'pro' }])).toEqual([invariant])
  })

  it('is broken by a gateway key that no record names', () => {
    expect(compare({}, [inItsPlan, { id: 'id-2', value: 'another', plan: 'free' }])).toEqual([invariant])
  })

  it('is broken by the gateway key of a revoked key', () => {
    expect(compare({ state: 'revoked' }, [inItsPlan])).toEqual([invariant])
  })

  it('is broken by the gateway key of a key that ended more than five minutes ago', () => {
    expect(compare({ expiresAt: noon / 1_000 - 300 }, [inItsPlan])).toEqual([invariant])
  })

  it('is broken by the gateway key of a key whose limits exceed its plan', () => {
    expect(compare({ minuteLimit: 61 }, [inItsPlan])).toEqual([invariant])
  })

  it('holds for the key that the record names', () => {
    expect(compare({}, [inItsPlan])).toEqual([])
  })

  it('holds for the gateway key of a key that has just ended', () => {
    expect(compare({ expiresAt: noon / 1_000 - 299 }, [inItsPlan])).toEqual([])
  })
})
