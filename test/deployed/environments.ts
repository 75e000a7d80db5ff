/**
 * Both environments as they are deployed to the emulator.
 *
 * @example
 *
 *     await using staging = await openDeployedEnvironment('staging')
 *     const { apiKey } = await staging.addPet()
 *
 *     expect(await staging.requestStatus(apiKey)).toBe(200)
 */
import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { expect } from 'vitest'
import { createGatewayKeyClient } from '../../functions/gateway-keys/api-gateway.ts'
import { openEnvironment } from '../../infra/commands/environment/open-environment.ts'
import { createKeysCommand } from '../../infra/commands/keys/keys-command.ts'
import type { EnvironmentName } from '../../infra/environments.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { RequestCounter } from '../../shared/rate-limit/request-counter.ts'
import { runCommandInProcess } from '../fixtures/commands/commands.ts'
import { createKeyOperator } from '../fixtures/commands/key-operator.ts'
import { readProvided } from '../fixtures/machine/provided.ts'
import { type LocalProxy, readHeader, startProxy } from '../fixtures/machine/proxy.ts'

const providedUrl = readProvided('emulator')

/** Whether the environments are deployed, which needs an emulator on this machine. */
export const isDeployed = providedUrl !== null

/** Address of the emulator; empty if there is none, when the tests are skipped. */
export const emulatorUrl = providedUrl ?? ''

/**
 * Reads an output of a stack.
 *
 * @throws Error if the stack is not deployed
 */
export const readStackOutput = async (stack: string, name: string): Promise<string> => {
  const { Stacks = [] } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName: stack }))
  const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)
  if (output?.OutputValue === undefined) throw new Error(`The stack ${stack} has no output ${name}.`)
  return output.OutputValue
}

/** Runs a command of `npm run keys`. @returns the JSON object that it prints */
export const runKeysCommand = async (...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  const { exitCode, output, errors } = await runCommandInProcess(createKeysCommand(), [...args, '--json'])
  if (exitCode !== 0) throw new Error(`keys ${args.join(' ')} failed: ${errors}`)
  return JSON.parse(output)
}

/**
 * Opens an address for one REST API of the emulator, as API Gateway gives an API a host name of its own. The front
 * forwards each request in a form in which the emulator does what API Gateway does:
 *
 * - The emulator decodes a path before it routes. API Gateway routes by the path as it was sent. So the front encodes
 *   the path once more.
 * - The emulator takes the API key of the usage plan from the header `x-api-key`, although the REST API says
 *   `apiKeySource: AUTHORIZER`. So the front sends the `usageIdentifierKey` in that header.
 * - The emulator adds no `X-Forwarded-Proto`, whose scheme the functions put into links. So the front adds it.
 *
 * @param findUsageIdentifierKey finds the `usageIdentifierKey` that the authorizer returns for an API key: the key of
 *   API Gateway on which the request is metered
 */
const openFront = (
  restApiId: string,
  findUsageIdentifierKey: (apiKey: string) => Promise<string>,
): Promise<LocalProxy> =>
  startProxy(emulatorUrl, async (request, forward) => {
    const headers = [...request.headers, 'X-Forwarded-Proto', 'http']
    const [, apiKey] = /^bearer +(\S+)$/i.exec(readHeader(request, 'authorization')) ?? []
    if (apiKey !== undefined) headers.push('x-api-key', await findUsageIdentifierKey(apiKey))

    const [, pathBelowStage = '', query = ''] = /^\/v1([^?]*)(.*)$/.exec(request.path) ?? []
    const encodedPath = pathBelowStage.replaceAll('%', '%25')
    const path = `/restapis/${restApiId}/v1/_user_request_${encodedPath}${query}`
    return forward({ ...request, path, headers })
  })

/** Opens a deployed environment, with an address at which its API responds on this machine. */
export const openDeployedEnvironment = async (name: EnvironmentName) => {
  const environment = await openEnvironment({ name })
  const { database, tables } = environment
  const administration = createKeyOperator(environment)
  const counter = new RequestCounter(database, tables.apiKeys)
  const stack = `pet-adoption-${name}-api`
  const authorizer = await readStackOutput(stack, 'AuthorizerFunctionName')
  const gatewayKeys = await readStackOutput(stack, 'GatewayKeysFunctionName')

  /** Calls Lambda's API for a function. */
  const callFunction = (functionName: string, path: string, method: string): Promise<Response> =>
    fetch(`${emulatorUrl}/2015-03-31/functions/${functionName}/${path}`, { method })

  /** Reads an environment variable of a function. */
  const readVariable = async (functionName: string, variable: string): Promise<string> => {
    const response = await callFunction(functionName, 'configuration', 'GET')
    const { Environment } = JSON.parse(await response.text())
    return Environment.Variables[variable]
  }

  // The emulator takes longer for these variables than for a request, so they are read once.
  const unlimitedGatewayKey = await readVariable(authorizer, environmentVariables.unlimitedGatewayKey)
  const usagePlanIds = JSON.parse(await readVariable(gatewayKeys, environmentVariables.usagePlanIds))

  /** Finds the API Gateway key on which a request is metered, as the authorizer does. */
  const findGatewayKey = async (apiKey: string): Promise<string> => {
    const request = { keyHash: hashApiKey(apiKey), nowSeconds: Date.now() / 1_000, signal: AbortSignal.timeout(5_000) }
    // The read fails after the environment has been destroyed, because the table does not exist any more.
    const record = await counter.read(request).catch(() => undefined)
    const { gatewayKey, meteredFrom = Number.POSITIVE_INFINITY } = record ?? {}
    return gatewayKey !== undefined && meteredFrom * 1_000 <= Date.now() ? gatewayKey : unlimitedGatewayKey
  }

  // The host name of a REST API begins with the id of the API.
  const [restApiId = ''] = new URL(environment.baseUrl).hostname.split('.')
  const front = await openFront(restApiId, findGatewayKey)
  const baseUrl = `${front.endpoint}/v1`

  /** Sends a request with an API key: a POST if there is a body, otherwise a GET. */
  const request = (apiKey: unknown, path: string, body?: string): Promise<Response> => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    if (body === undefined) return fetch(baseUrl + path, { headers })
    return fetch(baseUrl + path, { method: 'POST', headers, body })
  }

  /** Requests a list of pets. @returns the status of the response */
  const requestStatus = async (apiKey: unknown): Promise<number> => {
    const response = await request(apiKey, '/pets?limit=1')
    return response.status
  }

  /** Adds a pet with an API key that is issued for it. */
  const addPet = async () => {
    const limits = { perMinute: 60, perDay: 1_000 }
    const { apiKey, record } = await administration.issue({ owner: 'runbook', plan: 'free', limits })
    const response = await request(apiKey, '/pets', '{"name":"Bella","categoryId":1}')
    const [, petId = ''] = /^\{"id":(\d+),/.exec(await response.text()) ?? []
    expect(response.status).toBe(201)
    expect(petId).not.toBe('')
    return { apiKey, keyId: record.keyId, petId, path: `/pets/${petId}` }
  }

  /** Lists the API Gateway keys of this environment. */
  const listGatewayKeys = async () => {
    // The emulator has no quota of calls, so this client does not pause before each one.
    const pause = () => Promise.resolve()
    // Only a part of the list that is not read here depends on the unlimited key.
    const gateway = createGatewayKeyClient(new APIGatewayClient(), { name, unlimitedKey: '', usagePlanIds }, pause)
    const { gatewayKeys: listed } = await gateway.list()
    return listed
  }

  /** Runs the function `gateway-keys`, as its schedule does. */
  const runGatewayKeys = async (): Promise<void> => {
    const { status, headers } = await callFunction(gatewayKeys, 'invocations', 'POST')
    expect(status).toBe(200)
    expect(headers.get('x-amz-function-error')).toBeNull()
  }

  return {
    baseUrl,
    tables,
    administration,
    keyTable: new KeyTable(database, tables.apiKeys),
    request,
    requestStatus,
    addPet,
    listGatewayKeys,
    runGatewayKeys,
    [Symbol.asyncDispose]: front[Symbol.asyncDispose],
  }
}

export type DeployedEnvironment = Awaited<ReturnType<typeof openDeployedEnvironment>>
