import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Context } from 'aws-lambda'
import { readContract } from '../../infra/contract/contract.ts'
import { defaults, localStage } from '../../infra/environments.ts'
import type { ResourceNames } from '../../infra/local/record/local-environment-record.ts'
import type { Clock } from '../../shared/clock.ts'
import type { BanPolicy } from '../../shared/rate-limit/rate-limiter.ts'

/** The handler of a function. Its event has the type that the function expects. */
export type Handler = (event: never, invocation: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<unknown>

/** The parts that an instance gives to the code of its function. */
export interface InstanceParts {
  readonly client: DynamoDBDocumentClient
  readonly tables: ResourceNames['tables']
  readonly banPolicy: BanPolicy
  readonly clock: Clock
}

/** Creates the handler of an instance. */
type CreateHandler = (parts: InstanceParts) => Handler

/** The code of the functions of one version, by their names. */
export type FunctionCode = ReadonlyMap<string, CreateHandler>

/** The value of the unlimited gateway key, on which no usage plan has a limit. */
export const unlimitedGatewayKey = 'unlimited'

/** Folder of the sources that are simulated. */
const repositoryUrl = new URL('../../', import.meta.url)

/**
 * Loads the code of all functions. A function that the version does not have yet is left out.
 *
 * @param root folder of the sources of a version, which create their functions as the present sources do
 */
export const loadFunctions = async (root: URL = repositoryUrl): Promise<FunctionCode> => {
  const code = new Map<string, CreateHandler>([['authorizer', await loadAuthorizer(root)]])
  for (const { name, operationId, isReserved } of readContract().operations) {
    const isThere = existsSync(fileURLToPath(new URL(`functions/${name}/index.ts`, root)))
    if (!isThere) continue
    code.set(name, isReserved ? await loadIndex(root, name) : await loadOperation(root, name, operationId))
  }
  code.set('unknown-route', await loadIndex(root, 'unknown-route'))
  return code
}

// Each cast below says that a version has the exports of the present sources.

const loadAuthorizer = async (root: URL): Promise<CreateHandler> => {
  const { createAuthorizer } = (await load(
    root,
    'functions/authorizer/authorizer.ts',
  )) as typeof import('../../functions/authorizer/authorizer.ts')
  const { RateLimiter } = (await load(
    root,
    'shared/rate-limit/rate-limiter.ts',
  )) as typeof import('../../shared/rate-limit/rate-limiter.ts')
  const { RequestCounter } = (await load(
    root,
    'shared/rate-limit/request-counter.ts',
  )) as typeof import('../../shared/rate-limit/request-counter.ts')
  const { apiKeyPrefix } = defaults[localStage]
  return ({ client, tables, banPolicy, clock }) => {
    const limiter = new RateLimiter(new RequestCounter(client, tables.apiKeys), banPolicy, clock)
    return createAuthorizer(limiter, apiKeyPrefix, unlimitedGatewayKey)
  }
}

/** Loads an operation. Its module exports a function with its name, such as `listPets`, that creates the handler. */
const loadOperation = async (root: URL, name: string, operationId: string): Promise<CreateHandler> => {
  const module = (await load(root, `functions/${name}/${name}.ts`)) as Record<
    string,
    (stores: object, clock: Clock) => Handler
  >
  const { PetStore } = (await load(root, 'shared/pets/pet-store.ts')) as typeof import('../../shared/pets/pet-store.ts')
  const createHandler = module[operationId]
  if (createHandler === undefined) throw new Error(`functions/${name}/${name}.ts has no ${operationId}.`)
  return ({ client, tables, clock }) => {
    const pets = new PetStore(client, tables.pets)
    return createHandler({ pets, idempotencyTable: tables.idempotency }, clock)
  }
}

/** Loads a function that needs no table. */
const loadIndex = async (root: URL, name: string): Promise<CreateHandler> => {
  const { handler } = (await load(root, `functions/${name}/index.ts`)) as { readonly handler: Handler }
  return () => handler
}

const load = (root: URL, path: string): Promise<unknown> => import(new URL(path, root).href)
