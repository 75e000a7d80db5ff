import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { defaults, type EnvironmentConfig, type EnvironmentName, presets } from '../../../../../infra/environments.ts'
import { readCostCommand } from '../../../../../infra/operations/cost/cost-command.ts'
import { reportCost } from '../../../../../infra/operations/cost/cost-report.ts'
import { type Inventory, takeInventory } from '../../../../../infra/operations/cost/inventory.ts'
import { prices } from '../../../../../infra/operations/cost/prices.ts'
import { readAssembly } from '../../../../../infra/synthesis/assembly.ts'
import { createStage } from '../../synthesized.ts'
import { inventory } from './workloads.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const readme = readFileSync(join(root, 'infra/README.md'), 'utf8')
const floods = readme.split('\n## What a flood costs\n')[1]?.split('\n## ')[0] ?? ''

const take = (environment: EnvironmentName, change: Partial<EnvironmentConfig> = {}): Inventory => {
  const stage = createStage(environment, { config: { ...defaults[environment], ...change } })
  stage.synth()
  return takeInventory(readAssembly(dirname(stage.outdir), environment))
}

const [production, small, staging, traced] = [
  take('production'),
  take('production', presets.small),
  take('staging'),
  take('production', { tracing: true }),
]

describe('what an environment deploys', () => {
  it('has traces of requests where they are turned on', () => {
    expect(traced).toEqual({ ...production, isTraced: true })
  })

  it('has nothing with a monthly price in production of the small size, but protects its data', () => {
    expect(small).toEqual(
      inventory({ functionMegabytes: 1_024, hasAccessLog: true, logDays: 30, hasPointInTimeRecovery: true }),
    )
  })
})

const print = (words: string, ...inventories: readonly Inventory[]) =>
  reportCost(readCostCommand(words.split(' ')), inventories)

describe('infra/README.md', () => {
  it('shows what the command prints of a month', () => {
    const [, words = '', shown = ''] =
      /npm run cost -- (--requests 1e6 [^\n]*)\n\n```text\n(.*?)\n```/s.exec(readme) ?? []
    expect(print(words, production).text.split('\n\nAssumed:')[0]).toBe(shown)
  })

  it('shows the months of different sizes, within the limits that were set for them', () => {
    const [, words = '', shown = ''] = /npm run cost -- (--compare [^\n]*)\n\n(\|.*?\|)\n\n/s.exec(readme) ?? []
    expect(words).toBe('--compare production,size=small --compare staging')
    const months = print(words, production, small, staging)
    expect(months.text).toBe(shown)
    expect(months.json).toMatchObject({
      months: [{ requests: 1e5, setUps: [{ environment: 'production' }, {}, {}] }, {}, {}, {}],
    })
    const dollars = (requests: number, of: Inventory, kind: 'dollars' | 'dollarsPerMillion' = 'dollars') =>
      Number(print(`--requests ${requests}`, of).json[kind])
    expect(dollars(1e5, production)).toBeLessThanOrEqual(14)
    expect(dollars(1e5, small)).toBeLessThanOrEqual(3)
    expect(dollars(1e6, production)).toBeLessThanOrEqual(20)
    expect(dollars(1e6, small)).toBeLessThanOrEqual(8)
    expect(dollars(1e6, staging)).toBeLessThanOrEqual(9)
    expect(dollars(1e8, production, 'dollarsPerMillion')).toBeLessThanOrEqual(6.8)
  })
})

const [productionThrottle, stagingThrottle] = [defaults.production, defaults.staging].map(
  ({ methodThrottle }) => methodThrottle.requestsPerSecond,
)
const secondsPerDay = 86_400
const accountLimit = 10_000

describe('what a flood costs', () => {
  it.each([
    ['production', production, productionThrottle],
    ['production', production, accountLimit],
    ['staging', staging, stagingThrottle],
  ] as const)('in %s is as the README has it', (_, deployed, perSecond) => {
    const requests = Number(perSecond) * secondsPerDay
    const total = (of: Inventory, words = '') => {
      const { json } = print(`--requests ${requests} --mix unauthorized=1${words}`, of)
      return `$${Math.round(Number(json['dollars'])).toLocaleString('en-US')}`
    }
    const cells = [total(deployed, ' --unknown-keys 0'), total(deployed), total({ ...deployed, isTraced: true })]
    expect(floods).toContain(`| ${[requests.toLocaleString('en-US'), ...cells].join(' | ')} |`)
  })

  it('is bounded as the README says: by the throttle of each method, the account, and of an address by the firewall', () => {
    for (const perSecond of [productionThrottle, stagingThrottle]) {
      expect(floods).toContain(`throttle, ${perSecond?.toLocaleString('en-US')} a second to one method`)
    }
    const perAddress = defaults.production.firewall?.requestsPerAddress ?? Number.NaN
    expect(floods).toContain(`in production ${perAddress.toLocaleString('en-US')}.`)
    expect(floods).toContain(`${(Number(productionThrottle) * 300) / perAddress} addresses`)
  })

  it('is with tracing the price of a trace more for each request', () => {
    const perDay = Number(productionThrottle) * secondsPerDay
    const [{ dollars } = { dollars: Number.NaN }] = prices.traces.tiers
    expect(readme).toContain(
      `$${(perDay / prices.traces.per) * dollars} for a day at the throttle of one method in production`,
    )
  })
})

describe('npm run cost', () => {
  it('reads the templates of the environment, and prints one JSON object for scripts', () => {
    const words = ['infra/operations/cost/cost.ts', '--requests', '1e6', '--env', 'production,size=small', '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const { environment, dollars } = JSON.parse(stdout)
    expect([environment, dollars]).toEqual(['production,size=small', print('--requests 1e6', small).json['dollars']])
  })
})
