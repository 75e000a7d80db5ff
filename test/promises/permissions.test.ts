import { expect, it } from 'vitest'
import { followTable } from '../../functions/gateway-keys/follow-table.ts'
import { localStage } from '../../infra/environments.ts'
import { readEnvironmentTemplate } from '../../infra/local/template/environment-template.ts'
import { readStacks, resolveStacks } from '../../infra/local/template/stacks.ts'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { createKeyOperator } from '../fixtures/commands/key-operator.ts'
import { createClients } from '../fixtures/database/clients.ts'
import { failFirst } from '../fixtures/database/fault-proxy.ts'
import { sharedAssembly } from '../fixtures/environment/local-environment.ts'
import { setUpFaultyService } from '../fixtures/service/faulty-service.ts'
import { scenarios } from '../requests/requests.ts'
import { findFaults, type Scenario, type Step } from '../requests/scenario.ts'

interface PolicyProperties {
  readonly Roles: readonly string[]
  readonly PolicyDocument: {
    readonly Statement: readonly {
      readonly Action: string | readonly string[]
      readonly Resource: string | readonly string[]
    }[]
  }
}

/** Permissions of each function on tables, sorted, for example `dynamodb:Query on Pets/index/status-index`. */
type Permissions = Readonly<Record<string, readonly string[]>>

const getService = setUpFaultyService()

/** Reads which calls the template allows each function. */
const readAllowedCalls = (): Permissions => {
  const { findResources } = resolveStacks(readStacks(sharedAssembly, localStage))
  const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)
  const policies = findResources<PolicyProperties>('IAM::Policy').map(({ properties }) => properties)
  const lambdas = findResources<{ readonly Role: string }>('Lambda::Function')

  const allowed: Record<string, readonly string[]> = {}
  for (const { name, properties } of lambdas) {
    // Functions of CDK itself, such as the one that empties a bucket, are no functions of this service.
    if (!functions.has(name)) continue
    // `resolveStacks` replaces a reference by its logical id, and a GetAtt by the logical id and the attribute.
    const ownPolicies = policies.filter(({ Roles }) => Roles.some((role) => properties.Role === `${role}.Arn`))
    allowed[name] = listTableActions(ownPolicies)
  }
  return allowed
}

/** Lists the actions on tables. In a policy, one text may stand in place of a list. */
const listTableActions = (policies: readonly PolicyProperties[]): readonly string[] => {
  const actions: string[] = []
  for (const { Action, Resource } of policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)) {
    for (const resource of [Resource].flat()) {
      for (const action of [Action].flat()) actions.push(`${action} on ${resource.replace('.Arn', '')}`)
    }
  }
  return actions.filter((action) => action.startsWith('dynamodb:')).toSorted()
}

/** Lists which calls each function has made in all invocations so far. */
const listMadeCalls = (): Permissions => {
  const made: Record<string, readonly string[]> = {}
  for (const [operation, invocations] of Map.groupBy(getService().invocations, (invocation) => invocation.operation)) {
    const calls = invocations.flatMap((invocation) => invocation.calls)
    const actions = calls.map((call) => `dynamodb:${call.operation} on ${call.resource}`)
    made[operation] = [...new Set(actions)].toSorted()
  }
  return made
}

/** Sends the requests of a scenario. An unexpected response fails the test, because its calls may be incomplete. */
const sendScenario = async (scenario: Scenario): Promise<void> => {
  expect(await findFaults(scenario, getService().api), scenario.title).toEqual([])
}

const send = (step: Step): Promise<void> => sendScenario({ title: step.send, steps: [step] })

/** Whether a scenario repeats no request. A ban takes a hundred requests, so scenarios of bans are too long here. */
const isShort = ({ steps }: Scenario): boolean => steps.every(({ times }) => times === undefined)

/** Short scenarios of several requests: they succeed, so together they make every call of the functions. */
const scenariosOfSeveralSteps = scenarios.filter((scenario) => isShort(scenario) && scenario.steps.length > 1)

/** Sends scenarios without a fault. */
const sendScenarios = async (): Promise<void> => {
  for (const scenario of scenariosOfSeveralSteps) await sendScenario(scenario)
}

/** Sends a request that cannot be counted: the authorizer then reads the record of the key. */
const sendUncountedRequest = async (): Promise<void> => {
  getService().proxy.chooseFault = ({ operation }) => (operation === 'UpdateItem' ? 'throttled' : undefined)
  await send({ send: 'GET /pets', status: 503 })
}

/**
 * Sends scenarios, each with one call that fails first, so that the function makes the call twice. Updates, which count
 * requests, do not fail here: in `sendUncountedRequest` they do.
 */
const sendScenariosWithRetries = async (): Promise<void> => {
  for (const fault of ['response lost', 'throttled'] as const) {
    for (const scenario of scenariosOfSeveralSteps) {
      getService().proxy.chooseFault = failFirst(fault, ({ operation }) => operation !== 'UpdateItem')
      await sendScenario(scenario)
    }
  }
}

it('the template allows each function of a request exactly the calls to tables that it makes', async () => {
  await sendScenarios()
  await sendUncountedRequest()
  await sendScenariosWithRetries()

  // The function `gateway-keys` runs on a schedule: requests do not reach it.
  const { 'gateway-keys': _scheduled, ...allowedCalls } = readAllowedCalls()
  expect(listMadeCalls()).toEqual(allowedCalls)
})

it('the template allows gateway-keys exactly the calls to tables that it makes', async () => {
  const { proxy, tables } = getService()
  const { client } = createClients({ name: 'dynalite', endpoint: proxy.endpoint })
  const environment = { name: 'local', database: client, tables } as const
  const keys = createKeyOperator(environment)
  await keys.issue({ owner: 'a test', plan: 'free', limits: fixedPlans.free })
  const earlierCallCount = proxy.calls.length

  // API Gateway has no keys, and whatever is made there succeeds: only calls to tables count here.
  const gateway = {
    list: async () => ({ gatewayKeys: [], isUnlimitedKeyUsable: true }),
    create: async () => {},
    remove: async () => {},
  }
  await followTable({
    table: new KeyTable(client, tables.apiKeys),
    gateway,
    clock: Date.now,
    remainingMilliseconds: () => 600_000,
  })

  const calls = proxy.calls.slice(earlierCallCount)
  const actions = calls.map(({ operation, resource }) => `dynamodb:${operation} on ${resource}`)
  expect([...new Set(actions)].toSorted()).toEqual(readAllowedCalls()['gateway-keys'])
})
