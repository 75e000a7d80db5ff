import { expect, inject, it } from 'vitest'
import { openEnvironment } from '../../infra/operations/environment/open-environment.ts'
import { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { createSmokeKeyOrder } from '../../infra/operations/smoke/sweep.ts'
import type { Scope } from '../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'
import { checkResponse } from '../requests/check-response.ts'
import { createApiClient, extractPath, keyOrders } from '../requests/scenario.ts'

const { baseUrl, apiKey, target } = inject('api')

export { baseUrl }

/** Where the local environment under test keeps its data; undefined for a deployed API. */
export const dataFolder = target?.name === 'local' ? target.dataFolder : undefined

/** Not when the suite is aimed at an API of which it has one key and no more. */
export const canIssueKeys = target !== null

const isOnAws = canIssueKeys && dataFolder === undefined

/** `npm run smoke`, which revokes the keys of its run, sets these. */
const { PET_API_RUN: run, PET_API_READ_ONLY: readOnly } = process.env

export const isSmokeTest = run !== undefined
export const mayAddPets = readOnly === undefined

const opened = target === null ? undefined : new KeyAdministration(await openEnvironment(target))

export const administration = (): KeyAdministration => {
  if (opened === undefined) throw new Error('Set PET_API_ENVIRONMENT for tests that issue keys of a deployed API.')
  return opened
}

/** A new key, so that no other test uses up its limits. It works, and has made no request. */
export const issueKey = async (plan: Plan, allowance: Allowance, scope: Scope = 'read-write') => {
  const order =
    run === undefined ? { owner: 'the end-to-end tests', plan, allowance } : createSmokeKeyOrder(run, plan, allowance)
  const { apiKey: key, record } = await administration().issue({ ...order, scope })
  return { key, keyId: record.keyId }
}

export const api = createApiClient(baseUrl, {
  usual: apiKey,
  issue: async (name) => {
    const { plan, allowance, scope } = keyOrders[name]
    return (await issueKey(plan, allowance, scope)).key
  },
})

export interface Pet {
  readonly id: number
  readonly name: string
}

/** A request but for its method and its target. The usual key has larger limits than the suite uses up. */
interface Rest {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
}

/** Makes a request, and checks the response against the contract, whatever the test asks of it besides. */
export const call = async (method: string, target: string, { key = apiKey, headers = {}, body }: Rest = {}) => {
  const content = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const response = await api.send({
    ...{ method, target, body: typeof body === 'object' ? JSON.stringify(body) : body },
    headers: { Authorization: `Bearer ${key}`, ...content, ...headers },
  })
  expect(checkResponse(method, extractPath(target), response)).toEqual([])
  /** The body, whose shape the contract has been asked about. */
  const json = <Shape>(): Shape => JSON.parse(response.text)
  return { ...response, json }
}

export type ApiResponse = Awaited<ReturnType<typeof call>>

/** Sends many requests at once; to AWS four at a time, because a new account runs ten functions at once. */
export const together = async (count: number, request: () => Promise<ApiResponse>): Promise<readonly ApiResponse[]> => {
  const responses: Promise<ApiResponse>[] = []
  const caller = async (): Promise<void> => {
    while (responses.length < count) await responses[responses.push(request()) - 1]
  }
  await Promise.all(Array.from({ length: isOnAws ? 4 : count }, caller))
  return Promise.all(responses)
}

/** A test that runs again where it failed after a window rolled over within it. */
export const itWithinOneMinute = (title: string, test: () => Promise<void>): void => {
  const minute = (): number => Math.floor(Date.now() / 60_000)
  it(title, async function attempt(): Promise<void> {
    const begun = minute()
    await test().catch((error: unknown) => {
      if (minute() === begun) throw error
      return attempt()
    })
  })
}
