import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaults, presets } from '../../../../../infra/environments.ts'
import { reportMonth, reportMonths } from '../../../../../infra/operations/cost/cost-report.ts'
import { counted, estimate, type Mix, setUpsOf, usageOf } from '../../../../../infra/operations/cost/estimate.ts'
import { charge, prices, type Usage } from '../../../../../infra/operations/cost/prices.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

const setUps = setUpsOf(defaults)
const guide = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const usual: Mix = { list: 0.7, get: 0.2, create: 0.1 }

it.each<[Mix, Partial<Usage>]>([
  // So few that each request of a key is the first of a minute, which is counted twice.
  [{ list: 1 }, { gatewayRequests: 1, lambdaRequests: 2, lambdaDuration: 0.027, writeUnits: 2, readUnits: 1 }],
  [{ get: 1 }, { lambdaRequests: 2, writeUnits: 2, readUnits: 1 }],
  [{ create: 1 }, { lambdaRequests: 2, writeUnits: 4.5, readUnits: 0 }],
  [{ refused: 1 }, { lambdaRequests: 2, writeUnits: 1, readUnits: 0 }],
  [{ unauthorized: 1 }, { lambdaRequests: 1, lambdaDuration: 0.012, writeUnits: 0, readUnits: 0 }],
  [{ unknown: 1 }, { lambdaRequests: 1, writeUnits: 1, readUnits: 0 }],
])('a request %o uses %o', (mix, expected) => {
  const [none, one] = [0, 1].map((requests) => usageOf(requests, mix, defaults.production))
  for (const [name, units] of Object.entries(expected)) {
    const used = (one?.[name as keyof Usage] ?? 0) - (none?.[name as keyof Usage] ?? 0)
    expect(used, name).toBeCloseTo(units, 3)
  }
})

it('keys with many requests open few minutes, and a request is charged at the price of its tier', () => {
  expect(usageOf(1e9, { list: 1 }, defaults.production).writeUnits / 1e9).toBeCloseTo(1.004, 3)
  expect(charge(prices.gatewayRequests, 333e6)).toBeCloseTo(333 * 3.5)
  expect(charge(prices.gatewayRequests, 500e6)).toBeCloseTo(333 * 3.5 + 167 * 2.8)
})

it.each([
  ['production', {}],
  ['staging', {}],
  ['production', presets.small],
] as const)('the templates of %s with %o have as many things with a price', (environment, change) => {
  const usage = usageOf(1e6, usual, { ...defaults[environment], ...change })
  const templates = Object.values(synthesize(environment, change))
  const propertiesOf = (type: string) =>
    templates.flatMap((template) =>
      Object.values(resourcesOf(template, `AWS::${type}`)).map(({ Properties }) => Properties),
    )
  // An alarm of a calculation has the metrics that go into it, any other alarm one.
  const metrics = propertiesOf('CloudWatch::Alarm').flatMap(({ Metrics = [{ MetricStat: {} }] }) => Metrics)
  expect(usage).toMatchObject({
    alarms: metrics.filter(({ MetricStat }) => MetricStat !== undefined).length,
    dashboards: propertiesOf('CloudWatch::Dashboard').length,
    firewallLists: propertiesOf('WAFv2::WebACL').length,
    firewallRules: propertiesOf('WAFv2::WebACL').flatMap(({ Rules }) => Rules).length,
  })
  // Without alarms nobody reads the metrics of the access log, and they cost little.
  if (usage.alarms > 0) expect(usage.metrics).toBe(propertiesOf('Logs::MetricFilter').length)
  expect([...propertiesOf('KMS::Key'), ...propertiesOf('EC2::NatGateway')]).toEqual([])
  const scheduled = propertiesOf('Lambda::Function').filter(({ Description }) => /gateway-keys/.test(Description))
  expect(scheduled).toMatchObject([{ MemorySize: counted.gatewayKeysMegabytes }])
})

it('the guide has the table that the command prints, and what a day of a flood costs', () => {
  expect(guide).toContain(`\n    npm run cost\n\n${reportMonths(usual, setUps).text}\n`)
  const floods = [
    ['production', 2_000],
    ['production', 10_000],
    ['staging', 20],
  ] as const
  for (const [environment, perSecond] of floods) {
    const requests = perSecond * 86_400
    const dollars = [{ unauthorized: 1 }, { unknown: 1 }].map((mix) => {
      const sum = Math.round(estimate(requests, mix, defaults[environment]).dollars)
      return `$${sum.toLocaleString('en-US')}`
    })
    expect(guide).toContain(`| ${[requests.toLocaleString('en-US'), ...dollars].join(' | ')} |`)
  }
})

it('a month has its lines, their sum, what is assumed and which prices nobody verified', () => {
  const { text, json } = reportMonth(1e6, 'production', usual)
  expect(text).toMatch(/^API Gateway +REST API requests +1,000,000 +x \$3\.5 \/ 1,000,000 +\$3\.50\n/)
  expect(text).toMatch(/\nTotal \$[\d.]+ for 1,000,000 requests to production,/)
  const lines = Object.values(json['lines'] ?? {})
  expect(lines.reduce((sum, { dollars }) => sum + dollars, 0)).toBeCloseTo(Number(json['dollars']), 6)
  const [, named] = /Prices that were not read on a page of AWS: (.*)\.\n/.exec(text) ?? []
  const unverified = lines.filter(({ asOf }) => asOf === 'unverified')
  expect(named).toBe(unverified.map(({ service, what }) => `${service} ${what}`).join(', '))
})
