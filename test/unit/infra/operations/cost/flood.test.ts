import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { type EnvironmentName, environments } from '../../../../../infra/environments.ts'
import { readCostCommand } from '../../../../../infra/operations/cost/cost-command.ts'
import { estimate, usageOf } from '../../../../../infra/operations/cost/estimate.ts'
import { type Inventory, readInventory } from '../../../../../infra/operations/cost/inventory.ts'
import { prices } from '../../../../../infra/operations/cost/prices.ts'

const readme = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const section = readme.split('\n## What a flood costs\n')[1]?.split('\n## ')[0] ?? ''

const secondsPerDay = 86_400
/** Those of the contract, and the two for every other path. */
const methods = readContract().operations.length + 2
const accountLimit = 10_000

let inventories: Readonly<Record<EnvironmentName, Inventory>>
beforeAll(async () => {
  inventories = { staging: await readInventory('staging'), production: await readInventory('production') }
}, 120_000)

/** What `npm run cost` prints as the total. */
const total = (words: string): string => {
  const { environment, tracing, workload } = readCostCommand(words.split(' '))
  const { dollars } = estimate(usageOf(workload, { ...inventories[environment], isTraced: tracing }), workload.requests)
  return `$${Math.round(dollars).toLocaleString('en-US')}`
}

const { staging, production } = environments

describe('what a flood costs', () => {
  it.each([
    ['production', production.methodThrottle.requestsPerSecond],
    ['production', accountLimit],
    ['staging', staging.methodThrottle.requestsPerSecond],
    ['staging', staging.methodThrottle.requestsPerSecond * methods],
  ] as const)('in %s at %d requests a second, is as the README has it', (environment, perSecond) => {
    const requests = perSecond * secondsPerDay
    const words = `--requests ${requests} --environment ${environment} --mix unauthorized=1`
    const cells = [requests.toLocaleString('en-US'), total(`${words} --unknown-keys 0`), total(words)]
    expect(section).toContain(`| ${[...cells, total(`${words} --tracing`)].join(' | ')} |`)
  })

  it('is bounded as the README says: by the throttle of each method, the account, and of an address by the firewall', () => {
    expect(methods).toBe(6)
    expect(methods * production.methodThrottle.requestsPerSecond).toBeGreaterThan(accountLimit)
    for (const { requestsPerSecond } of [production.methodThrottle, staging.methodThrottle]) {
      expect(section).toContain(`throttle, ${requestsPerSecond.toLocaleString('en-US')} a second to one method`)
    }
    const perAddress = production.firewall?.requestsPerAddress ?? Number.NaN
    expect(section).toContain(`in production ${perAddress.toLocaleString('en-US')}.`)
    expect(section).toContain(`${(production.methodThrottle.requestsPerSecond * 300) / perAddress} addresses`)
  })

  it('is with tracing the price of a trace more for each request', () => {
    const perDay = production.methodThrottle.requestsPerSecond * secondsPerDay
    const [{ dollars }] = prices.traces.tiers
    expect(readme).toContain(
      `$${(perDay / prices.traces.per) * dollars} for a day at the throttle of one method in production`,
    )
  })
})
