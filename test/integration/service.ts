import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { KeyAdministration } from '../../infra/keys/administration.ts'
import { KeyTable } from '../../infra/keys/key-table.ts'
import { hashApiKey, type KeyHash } from '../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../shared/api-keys/api-key-record.ts'
import type { Allowance } from '../../shared/api-keys/plans.ts'
import type { Clock } from '../../shared/clock.ts'
import { ReservationStore } from '../../shared/idempotency/reservations.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import type { BanPolicy } from '../../shared/rate-limit/ban-policy.ts'
import { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { RequestCounter } from '../../shared/rate-limit/request-counter.ts'
import { clientOf, createFreshTables, type RunningEngine, type TableNames } from './engines.ts'
import { MemoryEdgeRegistry } from './memory-edge-registry.ts'
import { noon, type SettableClock, settableClock } from './settable-clock.ts'

/** The data layer of the service on tables of its own, with a clock that a test sets. */
export interface Service {
  readonly time: SettableClock
  readonly tables: TableNames
  readonly client: DynamoDBDocumentClient
  readonly pets: PetStore
  readonly reservations: ReservationStore
  readonly edge: MemoryEdgeRegistry
  readonly keys: KeyAdministration
  readonly limiter: (options?: { clock?: Clock; bans?: BanPolicy; client?: DynamoDBDocumentClient }) => RateLimiter
}

/** Bans only after more refusals than a test that is not about bans makes. */
const patient: BanPolicy = { refusalsBeforeBan: 100_000, firstBanSeconds: 60, longestBanSeconds: 3_600 }

export const openService = async (engine: RunningEngine): Promise<Service> => {
  const time = settableClock(noon)
  const tables = await createFreshTables(engine)
  const { client } = clientOf(engine)
  const edge = new MemoryEdgeRegistry()
  return {
    time,
    tables,
    client,
    pets: new PetStore(client, tables.pets),
    reservations: new ReservationStore(client, tables.idempotency),
    edge,
    keys: new KeyAdministration(new KeyTable(client, tables.apiKeys), edge, 'pet_test_', time.clock),
    limiter: ({ clock = time.clock, bans = patient, client: other = client } = {}) =>
      new RateLimiter(new RequestCounter(other, tables.apiKeys), bans, clock),
  }
}

export interface UsableKey {
  readonly apiKey: string
  readonly keyHash: KeyHash
  readonly keyId: KeyId
}

/** Issues a key with limits of its own. */
export const issueKey = async (service: Service, allowance: Allowance): Promise<UsableKey> => {
  const { apiKey, record } = await service.keys.issue({ owner: 'a test', plan: 'enterprise', allowance })
  return { apiKey, keyHash: hashApiKey(apiKey), keyId: record.keyId }
}
