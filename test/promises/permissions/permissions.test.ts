import { beforeAll, describe, expect, it } from 'vitest'
import { localStage } from '../../../infra/environments.ts'
import { readEnvironmentTemplate } from '../../../infra/local/template/environment-template.ts'
import { createResolve, createResourcesOf } from '../../../infra/local/template/intrinsic-functions.ts'
import { readAssembly } from '../../../infra/synthesis/assembly.ts'
import { sharedAssembly } from '../../fixtures/assembly.ts'
import { scenarios } from '../../requests/requests.ts'
import { faultsOf } from '../../requests/scenario.ts'
import { onFirst, unharmed } from '../faults/fault-proxy.ts'
import { faultyService } from '../faults/service.ts'

interface PolicyProperties {
  readonly Roles: readonly string[]
  readonly PolicyDocument: {
    readonly Statement: readonly { readonly Action: string | readonly string[]; readonly Resource: string }[]
  }
}

/** What the template allows a function to do to the tables, each as `dynamodb:Query on Pets/index/status-index`. */
const allowed = (): ReadonlyMap<string, readonly string[]> => {
  const stacks = readAssembly(sharedAssembly, localStage)
  const resourcesOf = createResourcesOf(stacks, createResolve(stacks))
  const policies = resourcesOf<PolicyProperties>('IAM::Policy').map(({ properties }) => properties)
  const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)
  return new Map(
    resourcesOf<{ readonly Role: string }>('Lambda::Function').flatMap(({ name, properties: { Role } }) => {
      const operation = functions.get(name)?.operation
      // No request reaches the function that runs on a schedule.
      if (operation === undefined || operation === 'gateway-keys') return []
      const statements = policies
        .filter(({ Roles }) => Roles.some((role) => Role === `${role}.Arn`))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      const actions = statements.flatMap(({ Action, Resource }) =>
        [Action].flat().map((action) => `${action} on ${Resource.replace('.Arn', '')}`),
      )
      return [[operation, actions.filter((action) => action.startsWith('dynamodb:')).toSorted()] as const]
    }),
  )
}

describe('the permissions of the functions', () => {
  const running = faultyService()
  /** What each function has done to the tables, in the words of `allowed`. */
  const done = new Map<string, Set<string>>()

  beforeAll(async () => {
    const service = running()
    const send = async () => {
      for (const scenario of scenarios) await faultsOf(scenario, service.api())
    }
    await send()
    // Whoever counts a request reads the record where it cannot be written.
    service.proxy.decide = ({ operation }) => (operation === 'UpdateItem' ? { fault: 'throttled' } : {})
    await service.send({ path: '/pets' })
    // A pet that is not stored is left to a retry, which gives it another id.
    const lost = { path: '/pets', body: { name: 'Late', categoryId: 1 }, idempotencyKey: crypto.randomUUID() }
    service.proxy.decide = ({ operation, table }) =>
      operation === 'PutItem' && table === service.names.tables.pets ? { fault: 'throttled' } : {}
    await service.send(lost)
    service.proxy.decide = unharmed
    await service.send(lost)
    for (const fault of ['response lost', 'throttled'] as const) {
      for (const scenario of scenarios.filter(({ steps }) => steps.length > 1)) {
        service.proxy.decide = onFirst(
          ({ operation }) => operation !== 'UpdateItem',
          () => ({ fault }),
        )
        await faultsOf(scenario, service.api())
      }
    }
    for (const { operation = '', calls } of service.invocations) {
      const known = done.get(operation) ?? new Set()
      done.set(operation, known)
      for (const { operation: action, table, index } of calls) {
        known.add(`dynamodb:${action} on ${table}${index === undefined ? '' : `/index/${index}`}`)
      }
    }
  })

  it('are exactly those of the calls that they make, for all requests, retries, bans and faults', () => {
    const calls = [...done].map(([operation, actions]) => [operation, [...actions].toSorted()] as const)
    expect(Object.fromEntries(calls)).toEqual(Object.fromEntries(allowed()))
  })
})
