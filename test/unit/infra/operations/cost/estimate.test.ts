import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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

const usualMix: Mix = { list: 0.7, get: 0.2, create: 0.1 }

/** Finds the units of a line by its name. A line that is not there has none. */
const findUnits = (what: string, requests: number, mix: Mix, config: EnvironmentConfig): number => {
  const { lines } = estimateMonth(requests, mix, config)
  return lines.find((line) => line.what === what)?.units ?? 0
}

// A single request in a month opens a minute, so the table counts it by two writes.
describe.each([
  { kind: 'list', invocations: 2, gigabyteSeconds: 0.027, writeUnits: 2, readUnits: 1 },
  { kind: 'get', invocations: 2, gigabyteSeconds: 0.027, writeUnits: 2, readUnits: 1 },
  { kind: 'create', invocations: 2, gigabyteSeconds: 0.027, writeUnits: 5.5, readUnits: 0 },
  { kind: 'refused', invocations: 2, gigabyteSeconds: 0.027, writeUnits: 2, readUnits: 0 },
  { kind: 'unauthorized', invocations: 1, gigabyteSeconds: 0.012, writeUnits: 0, readUnits: 0 },
  { kind: 'unknown', invocations: 1, gigabyteSeconds: 0.012, writeUnits: 1, readUnits: 0 },
])('one request of the kind $kind', ({ kind, invocations, gigabyteSeconds, writeUnits, readUnits }) => {
  /** Counts the units that one request adds to a month without requests. The lines of an estimate count millions. */
  const countAddedUnits = (what: string): number => {
    const before = findUnits(what, 0, { [kind]: 1 }, defaults.production)
    const after = findUnits(what, 1, { [kind]: 1 }, defaults.production)
    return 1e6 * (after - before)
  }

  it(`a request of the kind ${kind} uses ${invocations} invocations`, () => {
    expect(countAddedUnits('million invocations')).toBeCloseTo(invocations, 3)
  })

  it(`a request of the kind ${kind} uses ${gigabyteSeconds} GB-seconds`, () => {
    expect(countAddedUnits('million GB-seconds, arm64')).toBeCloseTo(gigabyteSeconds, 3)
  })

  it(`a request of the kind ${kind} uses ${writeUnits} write units`, () => {
    expect(countAddedUnits('million write units')).toBeCloseTo(writeUnits, 3)
  })

  it(`a request of the kind ${kind} uses ${readUnits} read units`, () => {
    expect(countAddedUnits('million read units')).toBeCloseTo(readUnits, 3)
  })
})

it('requests of busy keys rarely open a minute', () => {
  const millionWriteUnits = findUnits('million write units', 1e9, { list: 1 }, defaults.production)

  // 1,000 million requests take one write each. Requests that open a minute take one more.
  expect(millionWriteUnits).toBeCloseTo(1_004, 0)
})

it('requests above the threshold of a tier have the price of the tier', () => {
  const { lines } = estimateMonth(500e6, usualMix, defaults.staging)

  expect(lines[0]?.what).toBe('million REST API requests')
  expect(lines[0]?.dollars).toBeCloseTo(333 * 3.5 + 167 * 2.8)
})

describe.each([
  { configuration: 'production', environment: 'production', change: {} },
  { configuration: 'staging', environment: 'staging', change: {} },
  { configuration: 'small', environment: 'production', change: presets.small },
] as const)('the estimate of $configuration', ({ configuration, environment, change }) => {
  const config = { ...defaults[environment], ...change }
  const templates = Object.values(synthesizeTemplates(environment, change))

  const findResources = (type: string) => templates.flatMap((template) => findProperties(template, type))

  const countUnits = (what: string): number => findUnits(what, 1e6, usualMix, config)

  /** Metrics that the alarms watch. An alarm of a calculation lists its metrics, any other alarm watches one. */
  const alarmMetrics = findResources('AWS::CloudWatch::Alarm')
    .flatMap(({ Metrics = [{ MetricStat: {} }] }) => Metrics)
    .filter(({ MetricStat }) => MetricStat !== undefined)

  it(`the estimate of ${configuration} has the metrics of alarms of the templates`, () => {
    expect(countUnits('metrics of alarms')).toBe(alarmMetrics.length)
  })

  it(`the estimate of ${configuration} has the metrics from the access log that alarms need`, () => {
    // Without alarms nobody reads these metrics, and they cost little.
    const filters = alarmMetrics.length === 0 ? [] : findResources('AWS::Logs::MetricFilter')

    expect(countUnits('metrics from the access log')).toBe(filters.length)
  })

  it(`the estimate of ${configuration} has the dashboards of the templates`, () => {
    expect(countUnits('dashboards')).toBe(findResources('AWS::CloudWatch::Dashboard').length)
  })

  it(`the estimate of ${configuration} has the web access lists and rules of the templates`, () => {
    const firewalls = findResources('AWS::WAFv2::WebACL')
    const rules = firewalls.flatMap(({ Rules }) => Rules)

    expect(countUnits('web access lists')).toBe(firewalls.length)
    expect(countUnits('rules')).toBe(rules.length)
  })

  it(`the templates of ${configuration} have no KMS key and no NAT gateway, which the estimate leaves out`, () => {
    expect(findResources('AWS::KMS::Key')).toEqual([])
    expect(findResources('AWS::EC2::NatGateway')).toEqual([])
  })

  it(`the estimate of ${configuration} has the memory of gateway-keys of the templates`, () => {
    const functions = findResources('AWS::Lambda::Function')
    const gatewayKeys = functions.filter(({ Description }) => /gateway-keys/.test(Description))

    expect(gatewayKeys).toMatchObject([{ MemorySize: templateCounts.gatewayKeysMegabytes }])
  })
})

it('the guide has the table that the command prints', () => {
  const { text } = reportMonths(usualMix, listConfigurations(defaults))

  expect(guide).toContain(`\n    npm run cost\n\n${text}\n`)
})

it.each([
  { environment: 'production', perSecond: 2_000 },
  { environment: 'production', perSecond: 10_000 },
  { environment: 'staging', perSecond: 20 },
] as const)(
  'the guide has the cost of a day with $perSecond requests a second on $environment',
  ({ environment, perSecond }) => {
    const requests = perSecond * 86_400
    const formatCost = (mix: Mix): string => {
      const { dollars } = estimateMonth(requests, mix, defaults[environment])
      return `$${Math.round(dollars).toLocaleString('en-US')}`
    }

    const cells = [requests.toLocaleString('en-US'), formatCost({ unauthorized: 1 }), formatCost({ unknown: 1 })]
    expect(guide).toContain(`| ${cells.join(' | ')} |`)
  },
)

describe('the report of a month', () => {
  const { text, json } = reportMonth(1e6, usualMix, 'production', defaults.production)

  it('the report of a month has the sum of its lines', () => {
    expect(json).toMatchObject({ requests: 1e6, dollars: expect.closeTo(18.02, 1) })
    expect(text).toMatch(/\nTotal \$18\.02 for 1,000,000 requests to production,/)
  })

  it('the report of a month has a line for each service, with units, price and charge', () => {
    expect(text).toMatch(/^API Gateway +million REST API requests +1 +x \$3\.5 +\$3\.50\n/)
  })

  it('the report of a month names the prices that were not read on a page of AWS', () => {
    const [, prices] = /\nPrices that were not read on a page of AWS: (.*)\.\n/.exec(text) ?? []

    expect(prices).toMatch(/^Lambda million invocations, .*, Data transfer GB out to the internet$/)
    expect(prices).not.toMatch(/REST API|GB-months in tables/)
  })
})
