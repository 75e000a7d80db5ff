import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { expect, inject, it } from 'vitest'
import { measuredBytes } from '../../../../../infra/operations/cost/estimate.ts'
import { connectToLocalDatabase } from '../../../../../infra/operations/environment/local-database.ts'
import { createSeededPet } from '../../../../../infra/operations/seed/seeded-pet.ts'
import type { IdempotencyScope, KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { addPetOnce } from '../../../../../shared/idempotency/add-pet-once.ts'
import { createReservationId } from '../../../../../shared/idempotency/reservations.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { issueKey, openService } from '../../../../fixtures/service.ts'

/** The bytes of an item as "DynamoDB item sizes and formats" of AWS counts them. The items have text and numbers only. */
const sizeOf = (item: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(item).reduce((sum, [name, { S, N = '' }]) => {
    const digits = N.replace('-', '').replace(/^0+|0+$/g, '').length
    return sum + Buffer.byteLength(name) + (S === undefined ? Math.ceil(digits / 2) + 1 : Buffer.byteLength(S))
  }, 0)

it('typical items, and pets in responses, are about as large as the estimate of costs has them, and at most 1 KB', async () => {
  const [engine = { name: 'none', endpoint: '' }] = inject('engines')
  const service = await openService(engine)
  const { keyHash, keyId } = await issueKey(service, { perMinute: 300, perDay: 10_000 })
  await service.createLimiter().admit(keyHash)
  const scope = keyId as string as IdempotencyScope
  const pets = new PetStore(service.client, service.tables.pets, keyId as KeyId)
  const responses: number[] = []
  for (let index = 0; index < 200; index += 1) {
    const { id: _, ...pet } = createSeededPet(index)
    const id = createReservationId(scope, `idempotency key ${index}`)
    const added = await addPetOnce({ pets, reservations: service.reservations }, id, pet, service.time.clock)
    // With the comma after it.
    responses.push(Buffer.byteLength(stringifyExactJson(added.pet)) + 1)
  }
  const mean = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  const stored = async (TableName: string) => {
    const { Items = [] } = await connectToLocalDatabase(engine.endpoint).send(new ScanCommand({ TableName }))
    const sizes = Items.map(sizeOf)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_024)
    return mean(sizes)
  }
  const { tables } = service
  const measured = {
    ...{ pet: await stored(tables.pets), apiKey: await stored(tables.apiKeys), petInResponse: mean(responses) },
    reservation: await stored(tables.idempotency),
  }
  for (const [name, size] of Object.entries(measured)) {
    expect(Math.abs(size / measuredBytes[name as keyof typeof measured] - 1), `${name}: ${size}`).toBeLessThan(0.1)
  }
})
