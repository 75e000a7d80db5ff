import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { expect, inject } from 'vitest'
import { createGatewayKeyClient } from '../../functions/gateway-keys/api-gateway.ts'
import { deriveReservedGatewayKey } from '../../infra/constructs/api/usage-plans.ts'
import type { EnvironmentName } from '../../infra/environments.ts'
import { openEnvironment } from '../../infra/operations/environment/open-environment.ts'
import { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { RequestCounter } from '../../shared/rate-limit/request-counter.ts'
import { runNode } from '../fixtures/node-process.ts'
import { openFront } from './emulator/front.ts'

export { runNode }

const provided = inject('emulator')

/** Whether there is anything to test. */
export const isDeployed = provided !== null

/** The address of the emulator. */
export const emulator = provided ?? ''

export type Reached = Awaited<ReturnType<typeof reach>>

/** An environment and the address at which its API responds here. */
export const reach = async (name: EnvironmentName) => {
  const environment = await openEnvironment({ name })
  const { database, tables } = environment
  const administration = new KeyAdministration(environment)
  const stack = `pet-adoption-${name}-api`
  // A REST API's own address begins with its id.
  const [id = ''] = new URL(environment.baseUrl).hostname.split('.')
  const counter = new RequestCounter(database, tables.apiKeys)
  const front = await openFront(emulator, id, async (apiKey) => {
    // An environment that was destroyed has no table.
    const record = await counter.read(hashApiKey(apiKey)).catch(() => undefined)
    const isOwn = (record?.meteredFrom ?? Number.POSITIVE_INFINITY) * 1_000 <= Date.now()
    return isOwn && record ? record.gatewayKey : deriveReservedGatewayKey(stack)
  })
  const baseUrl = `${front.endpoint}/v1`
  /** Sends a request with an API key; with a body it is a POST. */
  const request = (apiKey: unknown, path: string, body?: string): Promise<Response> => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    return fetch(baseUrl + path, { headers, ...(body !== undefined && { method: 'POST', body }) })
  }
  const gatewayKeysFunction = async (path: string, method: string): Promise<Response> => {
    const lambda = await outputOf(stack, 'GatewayKeysFunctionName')
    return fetch(`${emulator}/2015-03-31/functions/${lambda}/${path}`, { method })
  }
  return {
    ...{ baseUrl, request, administration },
    table: new KeyTable(database, tables.apiKeys),
    gateway: new APIGatewayClient(),
    /** The status of a list with an API key. */
    statusOf: async (apiKey: unknown): Promise<number> => (await request(apiKey, '/pets?limit=1')).status,
    /** Adds a pet with a key of its own. */
    addPet: async () => {
      const allowance = { perMinute: 60, perDay: 1_000 }
      const { apiKey, record } = await administration.issue({ owner: 'runbook', plan: 'free', allowance })
      const response = await request(apiKey, '/pets', '{"name":"Bella","categoryId":1}')
      const [, petId = ''] = /^\{"id":(\d+),/.exec(await response.text()) ?? []
      expect([response.status, petId]).toEqual([201, expect.stringMatching(/./)])
      return { apiKey, keyId: record.keyId, petId, path: `/pets/${petId}` }
    },
    /** What API Gateway has for the keys of this environment. */
    gatewayKeys: async () => {
      const { Environment } = JSON.parse(await (await gatewayKeysFunction('configuration', 'GET')).text())
      const usagePlanIds = JSON.parse(Environment.Variables[environmentVariables.usagePlanIds])
      return createGatewayKeyClient(new APIGatewayClient(), name, usagePlanIds).list()
    },
    /** Runs the function `gateway-keys`, as its schedule does. */
    runGatewayKeys: async (): Promise<void> => {
      const { status, headers } = await gatewayKeysFunction('invocations', 'POST')
      expect([status, headers.get('x-amz-function-error')]).toEqual([200, null])
    },
    [Symbol.asyncDispose]: front[Symbol.asyncDispose],
  }
}

/** An output of a stack. @throws Error where the stack is not deployed */
export const outputOf = async (stack: string, name: string): Promise<string> => {
  const { Stacks = [] } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName: stack }))
  const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
  if (output === undefined) throw new Error(`The stack ${stack} has no output ${name}.`)
  return output
}

/** The one JSON object that `npm run keys` prints, in a process of its own. */
export const keysJson = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  const { exitCode, output, errors } = await runNode(['infra/operations/keys/keys.ts', ...words, '--json'])
  if (exitCode !== 0) throw new Error(`keys ${words.join(' ')} failed: ${errors}`)
  return JSON.parse(output)
}
