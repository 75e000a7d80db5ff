import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaults, type EnvironmentConfig, presets } from '../../../../../infra/environments.ts'
import { reportMonth, reportMonths } from '../../../../../infra/operations/cost/cost-report.ts'
import {
  estimateMonth,
  listConfigurations,
  type Mix,
  templateCounts,
} from '../../../../../infra/operations/cost/estimate.ts'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/templates.ts'

const guide = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const usual: Mix = { list: 0.7, get: 0.2, create: 0.1 }

const unitsOf = (requests: number, mix: Mix, config: EnvironmentConfig = defaults.production) =>
  new Map(estimateMonth(requests, mix, config).lines.map(({ what, units }) => [what, units]))

it.each<[Mix, number[]]>([
  // So few that each request of a key is the first of a minute, which is counted twice.
  [{ list: 1 }, [2, 0.027, 2, 1]],
  [{ get: 1 }, [2, 0.027, 2, 1]],
  [{ create: 1 }, [2, 0.027, 4.5, 0]],
  [{ refused: 1 }, [2, 0.027, 1, 0]],
  [{ unauthorized: 1 }, [1, 0.012, 0, 0]],
  [{ unknown: 1 }, [1, 0.012, 1, 0]],
])('a request %o uses invocations, GB-seconds, write units and read units: %o', (mix, units) => {
  const [none, one] = [unitsOf(0, mix), unitsOf(1, mix)]
  const used = ['invocations', 'GB-seconds, arm64', 'write units', 'read units'].map((unit) => {
    return 1e6 * ((one.get(`million ${unit}`) ?? 0) - (none.get(`million ${unit}`) ?? 0))
  })
  expect(used).toEqual(units.map((count) => expect.closeTo(count, 3)))
})

it('keys with many requests open few minutes, and a request is charged at the price of its tier', () => {
  expect(unitsOf(1e9, { list: 1 }).get('million write units')).toBeCloseTo(1_004, 0)
  const { lines } = estimateMonth(500e6, usual, defaults.staging)
  expect(lines[0]?.dollars).toBeCloseTo(333 * 3.5 + 167 * 2.8)
})

it.each([
  ['production', {}],
  ['staging', {}],
  ['production', presets.small],
] as const)('the templates of %s with %o have as many things with a price', (environment, change) => {
  const units = unitsOf(1e6, usual, { ...defaults[environment], ...change })
  const templates = Object.values(synthesizeTemplates(environment, change))
  const all = (type: string) => templates.flatMap((template) => findProperties(template, `AWS::${type}`))
  // An alarm of a calculation has the metrics that go into it, any other alarm one.
  const metrics = all('CloudWatch::Alarm').flatMap(({ Metrics = [{ MetricStat: {} }] }) => Metrics)
  const firewalls = all('WAFv2::WebACL')
  const expected = {
    'metrics of alarms': metrics.filter(({ MetricStat }) => MetricStat !== undefined),
    // Without alarms nobody reads the metrics of the access log, and they cost little.
    'metrics from the access log': metrics.length === 0 ? [] : all('Logs::MetricFilter'),
    dashboards: all('CloudWatch::Dashboard'),
    'web access lists': firewalls,
    rules: firewalls.flatMap(({ Rules }) => Rules),
  }
  for (const [what, { length }] of Object.entries(expected))
    expect([what, units.get(what) ?? 0]).toEqual([what, length])
  expect([...all('KMS::Key'), ...all('EC2::NatGateway')]).toEqual([])
  const scheduled = all('Lambda::Function').filter(({ Description }) => /gateway-keys/.test(Description))
  expect(scheduled).toMatchObject([{ MemorySize: templateCounts.gatewayKeysMegabytes }])
})

it('the guide has the table that the command prints, and what a day of a flood costs', () => {
  expect(guide).toContain(`\n    npm run cost\n\n${reportMonths(usual, listConfigurations(defaults)).text}\n`)
  for (const [environment, perSecond] of [
    ['production', 2_000],
    ['production', 10_000],
    ['staging', 20],
  ] as const) {
    const sums = [{ unauthorized: 1 }, { unknown: 1 }].map((mix) => {
      const { dollars } = estimateMonth(perSecond * 86_400, mix, defaults[environment])
      return `$${Math.round(dollars).toLocaleString('en-US')}`
    })
    expect(guide).toContain(`| ${[(perSecond * 86_400).toLocaleString('en-US'), ...sums].join(' | ')} |`)
  }
})

it('a month has its lines, their sum, and which prices nobody verified', () => {
  const { text, json } = reportMonth(1e6, usual, 'production', defaults.production)
  expect(json).toMatchObject({ requests: 1e6, dollars: expect.closeTo(17.45, 1) })
  expect(text).toMatch(/^API Gateway +million REST API requests +1 +x \$3\.5 +\$3\.50\n/)
  expect(text).toMatch(/\nTotal \$17\.45 for 1,000,000 requests to production,/)
  const [, unverified] = /\nPrices that were not read on a page of AWS: (.*)\.\n/.exec(text) ?? []
  expect(unverified).toMatch(/^Lambda million invocations, .*, Data transfer GB out to the internet$/)
  expect(unverified).not.toMatch(/REST API|GB-months in tables/)
})
