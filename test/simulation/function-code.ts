import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Context } from 'aws-lambda'
import type { ResourceNames } from '../../infra/commands/environment/local-environment.ts'
import { readContract } from '../../infra/contract/contract.ts'
import { defaults, localStage } from '../../infra/environments.ts'
import type { Clock } from '../../shared/clock.ts'
import type { BanPolicy } from '../../shared/rate-limit/rate-limiter.ts'

/** The handler of a function. Its event has the type that the function expects. */
export type Handler = (event: never, invocation: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<unknown>

/** The parts that an instance gives to the code of its function. */
interface InstanceParts {
  readonly client: DynamoDBDocumentClient
  readonly tables: ResourceNames['tables']
  readonly banPolicy: BanPolicy
  readonly clock: Clock
}

/** Creates the handler of an instance. */
type CreateHandler = (parts: InstanceParts) => Handler

/** The code of the functions, by their names. */
export type FunctionCode = ReadonlyMap<string, CreateHandler>

/** The value of the unlimited gateway key, on which no usage plan has a limit. */
export const unlimitedGatewayKey = 'unlimited'

const root = new URL('../../', import.meta.url)

// Each cast below says which exports a module of a function has.

/** Loads the code of all functions, after a known fault is in place. */
export const loadFunctions = async (): Promise<FunctionCode> => {
  const code = new Map<string, CreateHandler>([
    ['authorizer', await loadAuthorizer()],
    ['unknown-route', await loadIndex('unknown-route')],
  ])
  for (const { name, operationId, isReserved } of readContract().operations) {
    code.set(name, isReserved ? await loadIndex(name) : await loadOperation(name, operationId))
  }
  return code
}

const loadAuthorizer = async (): Promise<CreateHandler> => {
  const { createAuthorizer } = await import('../../functions/authorizer/authorizer.ts')
  const { RateLimiter } = await import('../../shared/rate-limit/rate-limiter.ts')
  const { RequestCounter } = await import('../../shared/rate-limit/request-counter.ts')
  const { apiKeyPrefix } = defaults[localStage]
  return ({ client, tables, banPolicy, clock }) => {
    const limiter = new RateLimiter(new RequestCounter(client, tables.apiKeys), banPolicy, clock)
    return createAuthorizer(limiter, apiKeyPrefix, unlimitedGatewayKey)
  }
}

/** Loads an operation. Its module exports a function with its name, such as `listPets`, that creates the handler. */
const loadOperation = async (name: string, operationId: string): Promise<CreateHandler> => {
  const module = (await load(`functions/${name}/${name}.ts`)) as Record<
    string,
    (stores: object, clock: Clock) => Handler
  >
  const { PetTable } = await import('../../shared/pets/pet-table.ts')
  const createHandler = module[operationId]
  if (createHandler === undefined) throw new Error(`functions/${name}/${name}.ts has no ${operationId}.`)
  return ({ client, tables, clock }) => {
    const pets = new PetTable(client, tables.pets)
    return createHandler({ pets, idempotencyTable: tables.idempotency }, clock)
  }
}

/** Loads a function that needs no table. */
const loadIndex = async (name: string): Promise<CreateHandler> => {
  const { handler } = (await load(`functions/${name}/index.ts`)) as { readonly handler: Handler }
  return () => handler
}

const load = (path: string): Promise<unknown> => import(new URL(path, root).href)
