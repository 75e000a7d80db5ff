import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, expect, inject, it } from 'vitest'
import { measuredBytes } from '../../../../../infra/operations/cost/estimate.ts'
import { connectToLocalDatabase } from '../../../../../infra/operations/environment/local-database.ts'
import { createSeededPet } from '../../../../../infra/operations/seed/seeded-pet.ts'
import type { IdempotencyScope } from '../../../../../shared/api-keys/api-key-record.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { addPetOnce } from '../../../../../shared/idempotency/add-pet-once.ts'
import { createRecordId } from '../../../../../shared/idempotency/idempotency-record.ts'
import { issueKey, openService } from '../../../../fixtures/service.ts'

type Item = Readonly<Record<string, AttributeValue>>

/** Measures a value as "DynamoDB item sizes and formats" of AWS says. The items have text and numbers only. */
const measureValue = ({ S: text, N: number = '' }: AttributeValue): number => {
  if (text !== undefined) return Buffer.byteLength(text)
  const significantDigits = number.replace('-', '').replace(/^0+|0+$/g, '')
  return Math.ceil(significantDigits.length / 2) + 1
}

const measureItem = (item: Item): number => {
  const sizes = Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + measureValue(value))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Measures the items of a table. @returns the size of each */
const measureTable = async (endpoint: string, tableName: string): Promise<readonly number[]> => {
  const { Items = [] } = await connectToLocalDatabase(endpoint).send(new ScanCommand({ TableName: tableName }))
  return Items.map(measureItem)
}

/** Measured sizes, by the names that the estimate gives to them. */
const sizes: Record<'pet' | 'apiKey' | 'idempotencyRecord' | 'petInResponse', readonly number[]> = {
  pet: [],
  apiKey: [],
  idempotencyRecord: [],
  petInResponse: [],
}

beforeAll(async () => {
  const [engine = { name: 'none', endpoint: '' }] = inject('engines')
  const service = await openService(engine)
  const { keyHash, keyId } = await issueKey(service, { perMinute: 300, perDay: 10_000 })
  await service.createLimiter().decide(keyHash)
  // The scope of a first key has the text of its id. The two types are different brands of strings.
  const scope = keyId as string as IdempotencyScope

  const responseSizes: number[] = []
  for (let index = 0; index < 200; index += 1) {
    const { id: _, ...newPet } = createSeededPet(index)
    const recordId = createRecordId(scope, `idempotency key ${index}`)
    const { pet } = await addPetOnce(service, recordId, newPet, service.time.clock, { addedBy: keyId })
    const commaBytes = 1
    responseSizes.push(Buffer.byteLength(stringifyExactJson(pet)) + commaBytes)
  }

  sizes.petInResponse = responseSizes
  sizes.pet = await measureTable(engine.endpoint, service.tables.pets)
  sizes.apiKey = await measureTable(engine.endpoint, service.tables.apiKeys)
  sizes.idempotencyRecord = await measureTable(engine.endpoint, service.tables.idempotency)
})

const names = ['pet', 'apiKey', 'idempotencyRecord', 'petInResponse'] as const

it.each(names)('the average size of %s is within 10 %% of the size in the estimate', (name) => {
  const ratio = average(sizes[name]) / measuredBytes[name]

  expect(Math.abs(ratio - 1)).toBeLessThan(0.1)
})

it.each(['pet', 'apiKey', 'idempotencyRecord'] as const)(
  'no item of %s is larger than 1 KB, which is one write unit',
  (name) => {
    expect(sizes[name].length).toBeGreaterThan(0)
    expect(Math.max(...sizes[name])).toBeLessThanOrEqual(1_024)
  },
)
