import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { localStage } from '../../../infra/environments.ts'
import { readEnvironmentTemplate } from '../../../infra/local/template/environment-template.ts'
import { readStacks, resolveStacks } from '../../../infra/local/template/stacks.ts'
import { sharedAssembly } from '../../fixtures/local-environment.ts'
import { chooseBySize } from '../../fixtures/size.ts'
import { scenarios } from '../../requests/requests.ts'
import { findFaults, type Scenario } from '../../requests/scenario.ts'
import { onFirst } from '../faults/fault-proxy.ts'
import { faultyService } from '../faults/service.ts'

interface PolicyProperties {
  readonly Roles: readonly string[]
  readonly PolicyDocument: {
    readonly Statement: readonly { readonly Action: string | readonly string[]; readonly Resource: string }[]
  }
}

/** What the template allows each function to do to the tables, as `dynamodb:Query on Pets/index/status-index`. */
const allowed = (): Readonly<Record<string, readonly string[]>> => {
  const { findResources } = resolveStacks(readStacks(sharedAssembly, localStage))
  const policies = findResources<PolicyProperties>('IAM::Policy').map(({ properties }) => properties)
  const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)
  const ofFunctions = findResources<{ readonly Role: string }>('Lambda::Function').flatMap(({ name, properties }) => {
    // No request reaches the function that runs on a schedule.
    if (!functions.has(name) || name === 'gateway-keys') return []
    const actions = policies
      .filter(({ Roles }) => Roles.some((role) => properties.Role === `${role}.Arn`))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .flatMap(({ Action, Resource }) =>
        [Action].flat().map((action) => `${action} on ${Resource.replace('.Arn', '')}`),
      )
    return [[name, actions.filter((action) => action.startsWith('dynamodb:')).toSorted()] as const]
  })
  return Object.fromEntries(ofFunctions)
}

const running = faultyService()

it('The permissions of the functions are exactly those of the calls that they make, for all requests, retries, bans and faults', async () => {
  const { proxy, tables, api, invocations } = running()
  const send = async (...sent: readonly Scenario[]): Promise<void> => {
    for (const one of sent) await findFaults(one, api)
  }
  await send(...scenarios.filter(({ steps }, index) => steps.length > 1 || index % chooseBySize(10, 1) === 0))
  // Whoever counts a request reads the record where it cannot be written.
  proxy.decide = ({ operation }) => (operation === 'UpdateItem' ? 'throttled' : undefined)
  await send({ title: '', steps: [{ send: 'GET /pets', status: 429 }] })
  // A pet that is not stored is left to a retry, which gives it another id.
  const headers = { 'Idempotency-Key': randomUUID() }
  const late = (status: number): Scenario => ({
    title: '',
    steps: [{ send: 'POST /pets', body: { name: 'Late', categoryId: 1 }, headers, status }],
  })
  proxy.decide = ({ operation, table }) => (operation === 'PutItem' && table === tables.pets ? 'throttled' : undefined)
  await send(late(503))
  proxy.decide = () => undefined
  await send(late(201))
  // A ban takes a hundred requests.
  const isRetried = ({ steps }: Scenario) => steps.length > 1 && steps.every(({ times }) => times === undefined)
  const retried = scenarios.filter(isRetried).filter((_scenario, index) => index % chooseBySize(2, 1) === 0)
  for (const fault of ['response lost', 'throttled'] as const) {
    for (const one of retried) {
      proxy.decide = onFirst(fault, ({ operation }) => operation !== 'UpdateItem')
      await send(one)
    }
  }

  const calls = Map.groupBy(invocations, ({ operation }) => operation)
  const done = [...calls].map(([operation, ran]) => {
    const actions = ran.flatMap((one) => one.calls.map((call) => `dynamodb:${call.operation} on ${call.resource}`))
    return [operation, [...new Set(actions)].toSorted()] as const
  })
  expect(Object.fromEntries(done)).toEqual(allowed())
})
