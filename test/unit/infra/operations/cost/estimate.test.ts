import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaults } from '../../../../../infra/environments.ts'
import { estimate, reportMonth, reportMonths, setUpsOf } from '../../../../../infra/operations/cost/cost-report.ts'
import { type Mix, usageOf, watched } from '../../../../../infra/operations/cost/estimate.ts'
import { charge, prices, type Usage } from '../../../../../infra/operations/cost/prices.ts'
import { resourcesOf, synthesize, type Templates } from '../../synthesized.ts'

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

it('keys with many requests open few minutes', () => {
  expect(usageOf(1e9, { list: 1 }, defaults.production).writeUnits / 1e9).toBeCloseTo(1.004, 3)
})

it('a request is charged at the price of its tier', () => {
  expect(charge(prices.gatewayRequests, 333e6)).toBeCloseTo(333 * 3.5)
  expect(charge(prices.gatewayRequests, 500e6)).toBeCloseTo(333 * 3.5 + 167 * 2.8)
})

it('what is off costs nothing', () => {
  const { alarms, metrics, dashboards, traces, firewallLists, recovery } = usageOf(1e6, usual, {
    ...setUps.small,
    data: 'disposable',
  })
  expect({ alarms, metrics, dashboards, traces, firewallLists, recovery }).toEqual({
    ...{ alarms: 0, metrics: 0, dashboards: 0, traces: 0, firewallLists: 0, recovery: 0 },
  })
  expect(usageOf(1e6, usual, { ...setUps.small, tracing: true }).traces).toBe(1e6)
})

it.each(['production', 'staging'] as const)('the templates of %s have as many things with a price', (environment) => {
  const { alarms, metrics, dashboards, firewallLists, firewallRules } = usageOf(1e6, usual, defaults[environment])
  const templates = synthesize(environment)
  const counted = {
    alarms: metricsOfAlarms(templates),
    metrics: countOf(templates, 'Logs::MetricFilter'),
    dashboards: countOf(templates, 'CloudWatch::Dashboard'),
    firewallLists: countOf(templates, 'WAFv2::WebACL'),
    firewallRules: propertiesOf(templates, 'WAFv2::WebACL').flatMap(({ Rules }) => Rules).length,
  }
  expect({ alarms, metrics, dashboards, firewallLists, firewallRules }).toEqual(counted)
  expect(countOf(templates, 'KMS::Key') + countOf(templates, 'EC2::NatGateway')).toBe(0)
  expect(watched.alarms).toBeGreaterThan(0)
})

const propertiesOf = (templates: Templates, type: string) =>
  Object.values(templates).flatMap((template) =>
    Object.values(resourcesOf(template, `AWS::${type}`)).map(({ Properties }) => Properties),
  )

const countOf = (templates: Templates, type: string): number => propertiesOf(templates, type).length

/** An alarm of a calculation has the metrics that go into it, any other alarm one. */
const metricsOfAlarms = (templates: Templates): number =>
  propertiesOf(templates, 'CloudWatch::Alarm')
    .map(({ Metrics = [{ MetricStat: {} }] }) => JSON.stringify(Metrics).split('"MetricStat":').length - 1)
    .reduce((sum, one) => sum + one, 0)

it('the guide has the table that the command prints', () => {
  expect(guide).toContain(`\n    npm run cost\n\n${reportMonths(usual, setUps).text}\n`)
})

it.each([
  ['production', 2_000],
  ['production', 10_000],
  ['staging', 20],
] as const)('the guide says what a day of a flood costs: %s, %i a second', (environment, perSecond) => {
  const requests = perSecond * 86_400
  const dollars = (mix: Mix) =>
    `$${Math.round(estimate(requests, defaults[environment], mix).dollars).toLocaleString('en-US')}`
  const cells = [requests.toLocaleString('en-US'), dollars({ unauthorized: 1 }), dollars({ unknown: 1 })]
  expect(guide).toContain(`| ${cells.join(' | ')} |`)
})

it('a month has its lines, their sum, what is assumed and which prices nobody verified', () => {
  const { text, json } = reportMonth(1e6, 'production', usual)
  expect(text).toMatch(/^API Gateway +REST API requests +1,000,000 +x \$3\.5 \/ 1,000,000 +\$3\.50\n/)
  expect(text).toMatch(/\nTotal \$[\d.]+ for 1,000,000 requests to production,/)
  const lines = Object.values(json['lines'] ?? {})
  expect(lines.reduce((sum, { dollars }) => sum + dollars, 0)).toBeCloseTo(Number(json['dollars']), 6)
  const [, named = ''] = /Prices that were not read on a page of AWS: (.*)\.\n/.exec(text) ?? []
  for (const { service, what, asOf } of lines) {
    expect(named.includes(`${service} ${what}`), what).toBe(asOf === 'unverified')
  }
})
