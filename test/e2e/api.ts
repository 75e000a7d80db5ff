/**
 * The API that the end-to-end tests are aimed at, and a client for it.
 *
 * @example A test with a key of its own
 *
 *     const { key } = await issueKey('free', fixedPlans.free)
 *     const response = await send('GET', '/pets', { key })
 *     expect(response.status).toBe(200)
 */
import { expect, inject, it } from 'vitest'
import { type EnvironmentSelector, openEnvironment } from '../../infra/commands/environment/open-environment.ts'
import { findOperator } from '../../infra/commands/environment/operator.ts'
import { createSmokeKeyOrder } from '../../infra/commands/smoke/run.ts'
import type { KeyId, Scope } from '../../shared/api-keys/api-key-record.ts'
import type { Limits, Plan } from '../../shared/api-keys/plans.ts'
import { createKeyOperator, type KeyOperator } from '../fixtures/commands/key-operator.ts'
import { checkResponse, type SeenResponse } from '../requests/check-response.ts'
import { createApiClient, extractPath, keyOrders } from '../requests/scenario.ts'

const { baseUrl, apiKey, target: environment } = inject('api')

export { baseUrl }

/** Data folder of the local environment under test; `undefined` for a deployed API. */
export const dataFolder = environment?.name === 'local' ? environment.dataFolder : undefined

/** False if the suite has only one API key, and no access to the environment of the API. */
export const canIssueKeys = environment !== null

const isOnAws = canIssueKeys && dataFolder === undefined

/** Most requests that are sent to AWS at the same time. More may fail: a new AWS account runs ten functions at once. */
const concurrentRequestsOnAws = 4

/** Variables that `npm run smoke` sets. The keys that the tests issue for its run end within an hour. */
const { PET_API_RUN: smokeRun, PET_API_READ_ONLY: readOnly } = process.env

export const mayAddPets = readOnly === undefined

/** False if the only key of the suite may have the scope `read`, so that the suite sends no `POST /pets`. */
export const hasWriteScope = mayAddPets || canIssueKeys

/** Opens the keys of an environment. The audit has what tests do with them. */
const openKeys = async (selector: EnvironmentSelector): Promise<KeyOperator> => {
  const opened = await openEnvironment(selector)
  return createKeyOperator(opened, { operator: await findOperator(opened, 'end-to-end tests') })
}

const keys = environment === null ? undefined : await openKeys(environment)

/** @throws Error if the suite cannot issue keys */
export const requireKeyOperator = (): KeyOperator => {
  if (keys === undefined) {
    throw new Error('Set PET_API_ENVIRONMENT for tests that issue keys of a deployed API.')
  }
  return keys
}

export interface IssuedKey {
  readonly key: string
  readonly keyId: KeyId
}

/** Issues a new key, so that no other test uses up its limits. */
export const issueKey = async (plan: Plan, limits: Limits, scope: Scope = 'read-write'): Promise<IssuedKey> => {
  const order =
    smokeRun === undefined
      ? { owner: 'the end-to-end tests', plan, limits }
      : createSmokeKeyOrder(smokeRun, plan, limits)
  const { apiKey: key, record } = await requireKeyOperator().issue({ ...order, scope })
  return { key, keyId: record.keyId }
}

/** The API for the scenarios of `test/requests`. */
export const api = createApiClient(baseUrl, {
  usual: apiKey,
  issue: async (name) => {
    const { plan, limits, scope } = keyOrders[name]
    const issued = await issueKey(plan, limits, scope)
    return issued.key
  },
})

export interface Pet {
  readonly id: number
  readonly name: string
}

export interface ApiResponse extends SeenResponse {
  /** Parses the body, whose shape has been checked against the contract. */
  readonly json: <Shape>() => Shape
}

interface RequestOptions {
  /** @default a key with larger limits than the suite uses up */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Objects are sent as JSON, and text is sent as it is. */
  readonly body?: object | string
}

/** Sends a request, and checks the response against the contract. */
export const send = async (method: string, target: string, options: RequestOptions = {}): Promise<ApiResponse> => {
  const { key = apiKey, body } = options
  const response = await api.send({
    method,
    target,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  })
  expect(checkResponse(method, extractPath(target), response)).toEqual([])
  return { ...response, json: () => JSON.parse(response.text) }
}

/** Sends many requests at once, or four at a time to AWS. */
export const sendConcurrently = async (
  count: number,
  sendOne: () => Promise<ApiResponse>,
): Promise<readonly ApiResponse[]> => {
  const responses: Promise<ApiResponse>[] = []
  // Each sender takes the next request until all have been sent.
  const sendUntilDone = async (): Promise<void> => {
    while (responses.length < count) {
      const response = sendOne()
      responses.push(response)
      await response
    }
  }

  const senderCount = isOnAws ? concurrentRequestsOnAws : count
  await Promise.all(Array.from({ length: senderCount }, sendUntilDone))
  return Promise.all(responses)
}

/** Defines a test of limits. If the test fails and a new minute has begun meanwhile, the test runs again. */
export const itWithinOneMinute = (title: string, test: () => Promise<void>): void => {
  const currentMinute = (): number => Math.floor(Date.now() / 60_000)

  const attempt = async (): Promise<void> => {
    const startMinute = currentMinute()
    try {
      await test()
    } catch (error) {
      if (currentMinute() === startMinute) throw error
      await attempt()
    }
  }
  it(title, attempt)
}
