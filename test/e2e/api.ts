import { expect, inject, it } from 'vitest'
import type { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { administer } from '../../infra/operations/keys/administration.ts'
import { smokeKey } from '../../infra/operations/smoke/sweep.ts'
import { openEnvironment } from '../../infra/operations/target/open-environment.ts'
import type { Scope } from '../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'
import { checkResponse } from '../fixtures/check-response.ts'
import {
  addsPets,
  apiAt,
  faultsOf,
  type KeyName,
  keyOrders,
  needsKeys,
  pathOf,
  type Scenario,
} from '../requests/scenario.ts'

/** The base URL of the API under test, which ends in `/v1`. */
export const baseUrl = inject('baseUrl')

/** A key that may make more requests than the suite does. */
export const apiKey = inject('apiKey')

/** Where the local environment under test keeps its data; `null` for a deployed API. */
export const dataFolder = inject('dataFolder')

const environment = inject('environment')

export const isOnAws = environment !== null

/** `npm run smoke`, which revokes the keys of its run, sets these. */
const { PET_API_RUN: run, PET_API_READ_ONLY: readOnly } = process.env

export const isSmokeTest = run !== undefined
export const mayAddPets = readOnly === undefined

/** Not when the suite is aimed at an API of which it has one key and no more. */
export const canIssueKeys = dataFolder !== null || isOnAws

const opened = canIssueKeys
  ? administer(
      await openEnvironment(environment === null ? { environment: 'local', data: dataFolder ?? '' } : { environment }),
    )
  : undefined

export const administration = (): KeyAdministration => {
  if (opened === undefined) throw new Error('Set PET_API_ENVIRONMENT for tests that issue keys of a deployed API.')
  return opened
}

/** A new key, so that no other test uses up its limits. It works, and has made no request. */
export const issueKey = async (plan: Plan, allowance: Allowance, scope: Scope = 'read-write') => {
  const order = run === undefined ? { owner: 'the end-to-end tests', plan, allowance } : smokeKey(run, plan, allowance)
  const { apiKey: key, record } = await administration().issue({ ...order, scope })
  return { key, keyId: record.keyId }
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, whose shape the contract has been asked about. */
  readonly json: <Shape>() => Shape
}

export interface Pet {
  readonly id: number
  readonly name: string
}

/** The ids of the pets that were added since `setup/remove-added.ts` looked. It runs anew for each file, this does not. */
export const addedPets: string[] = []

/** The API with keys of its own but for the usual one. */
const openApi = () => {
  const keys = new Map<KeyName, Promise<string>>([['usual', Promise.resolve(apiKey)]])
  const api = apiAt(baseUrl, (name) => {
    const key = keys.get(name) ?? issueKey('enterprise', ...keyOrders[name]).then((issued) => issued.key)
    keys.set(name, key)
    return key
  })
  const send: typeof api.send = async (request) => {
    const response = await api.send(request)
    const [, id] = /^\{"id":(\d+),/.exec(response.status === 201 ? response.text : '') ?? []
    if (id !== undefined) addedPets.push(id)
    return response
  }
  return { ...api, send }
}

/** Makes a request, and checks the response against the contract, whatever the test asks of it besides. */
export const call = async (
  method: string,
  target: string,
  { key = apiKey, headers = {}, body }: { key?: string; headers?: Record<string, string>; body?: object | string } = {},
): Promise<ApiResponse> => {
  const response = await openApi().send({
    ...{ method, target, body: typeof body === 'object' ? JSON.stringify(body) : body },
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
  })
  expect(checkResponse(method, pathOf(target), response)).toEqual([])
  return { ...response, json: () => JSON.parse(response.text) }
}

/** One test for each scenario. Those that need what cannot be had, or must not be done, are skipped. */
export const itResponds = (scenarios: readonly Scenario[]): void => {
  for (const scenario of scenarios) {
    const isLeftOut = (needsKeys(scenario) && !canIssueKeys) || (addsPets(scenario) && !mayAddPets)
    it.skipIf(isLeftOut)(scenario.title, async () => {
      expect(await faultsOf(scenario, openApi())).toEqual([])
    })
  }
}

/** Sends many requests at once; to AWS four at a time, because a new account runs ten functions at once. */
export const together = async (count: number, request: () => Promise<ApiResponse>): Promise<readonly ApiResponse[]> => {
  const responses: Promise<ApiResponse>[] = []
  const caller = async (): Promise<void> => {
    while (responses.length < count) await responses[responses.push(request()) - 1]
  }
  await Promise.all(Array.from({ length: isOnAws ? 4 : count }, caller))
  return Promise.all(responses)
}

/** The address of the next page, if there is one. */
export const nextPage = ({ headers }: ApiResponse): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]

const minute = (): number => Math.floor(Date.now() / 60_000)

/** Runs a test, and again where it failed after a window rolled over within it. */
export const withinOneMinute = (test: () => Promise<void>) => async (): Promise<void> => {
  const begun = minute()
  try {
    await test()
  } catch (error) {
    if (minute() === begun) throw error
    await withinOneMinute(test)()
  }
}
