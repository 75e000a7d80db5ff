import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { everyOption, plain, type Resource, resourcesOf, synthesize, type Templates } from '../../synthesized.ts'

const guide = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const paragraphs = new Map(
  (guide.split('\n## Runbook\n')[1]?.split('\n## ')[0] ?? '').split('\n### ').flatMap((section, index) => {
    const [heading = '', ...text] = section.split('\n')
    return index === 0 ? [] : [[heading, text.join(' ').trim()] as const]
  }),
)

const templates = { staging: synthesize('staging'), production: synthesize('production') }

const alarmsIn = ({ api }: Templates): readonly Resource[] => Object.values(resourcesOf(api, 'AWS::CloudWatch::Alarm'))
const nameOf = ({ Properties }: Resource): string => String(Properties['AlarmName'])
const runbookOf = ({ Properties }: Resource): string =>
  String(/ Runbook: infra\/README\.md#([\w-]+)$/.exec(String(Properties['AlarmDescription']))?.[1])

const ofRequests = ['server-errors', 'errors-at-low-traffic', 'latency', 'authorizer-failures', 'refused']

describe.each([
  ['staging', ofRequests],
  ['production', [...ofRequests, 'blocked']],
] as const)('the alarms of %s', (environment, expected) => {
  const alarms = alarmsIn(templates[environment])
  const metricsOf = (name: string): string => {
    const alarm = alarms.find((one) => runbookOf(one) === name)
    return JSON.stringify(alarm?.Properties['Metrics'])
  }

  it('tell each symptom once for the service, and link its paragraph of the runbook', () => {
    expect(alarms.map(nameOf).toSorted()).toEqual(
      expected.map((name) => `pet-adoption-${environment}-${name}`).toSorted(),
    )
    for (const alarm of alarms) {
      expect(paragraphs.get(runbookOf(alarm)), nameOf(alarm)).toMatch(/\w{3}/)
      expect(nameOf(alarm).endsWith(`-${runbookOf(alarm)}`), nameOf(alarm)).toBe(true)
    }
  })

  it('notify the topic when they begin and when they end', () => {
    const [topic] = Object.keys(resourcesOf(templates[environment].api, 'AWS::SNS::Topic'))
    for (const { Properties } of alarms) {
      expect(Properties).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] })
    }
  })

  it('judge latency from at least 20 samples', () => {
    expect(metricsOf('latency')).toContain('"IF(requests >= 20, slowest, 0)"')
    expect(metricsOf('latency')).toMatch(/"Id":"requests".*"Stat":"SampleCount".*"Id":"slowest".*"Stat":"p95"/)
  })

  it.each([
    ['server-errors', 5, 60],
    ['errors-at-low-traffic', 3, 900],
  ])('judge the share of failures from so many that they are no accident: %s', (name, least, period) => {
    expect(metricsOf(name)).toContain(`IF(FILL(failed, errors) >= ${least}, 100 * FILL(failed, errors) / requests, 0)`)
    expect(new Set(metricsOf(name).match(/"Period":\d+/g))).toEqual(new Set([`"Period":${period}`]))
  })

  it('are not silent when the access log stops: what counts failures there falls back on a metric of AWS', () => {
    for (const alarm of alarms) {
      const metrics = JSON.stringify(alarm.Properties)
      // Each request on which the authorizer fails is a failure, which the other alarms count.
      if (!metrics.includes('PetAdoption/') || runbookOf(alarm) === 'authorizer-failures') continue
      expect(metrics, nameOf(alarm)).toMatch(/FILL\(failed, errors\).*"Id":"errors".*"MetricName":"5XXError"/)
      const [, expression = ''] = /"Expression":"([^"]+)"/.exec(metrics) ?? []
      expect(expression.replaceAll('FILL(failed, errors)', ''), nameOf(alarm)).not.toContain('failed')
    }
  })
})

describe('the alarms', () => {
  it('are all on the dashboard of production, and staging has no dashboard', () => {
    const { api } = templates.production
    const [dashboard] = Object.values(resourcesOf(api, 'AWS::CloudWatch::Dashboard'))
    const body = JSON.stringify(dashboard?.Properties['DashboardBody'])
    for (const id of Object.keys(resourcesOf(api, 'AWS::CloudWatch::Alarm'))) expect(body).toContain(`"${id}","Arn"`)
    templates.staging.api.resourceCountIs('AWS::CloudWatch::Dashboard', 0)
  })

  it('and what only they need are not there where the operator turns them off', () => {
    const { api } = synthesize('staging', { alarms: false })
    for (const type of ['CloudWatch::Alarm', 'Logs::MetricFilter', 'SNS::Topic']) api.resourceCountIs(`AWS::${type}`, 0)
  })

  it('link the address of the runbook where the operator sets it', () => {
    for (const { Properties } of alarmsIn(synthesize('production', everyOption))) {
      const [description, link = ''] = String(Properties['AlarmDescription']).split(' Runbook: ')
      expect(description).toMatch(/\.$/)
      expect(paragraphs.has(link.replace(`${everyOption.runbookUrl}#`, '')), link).toBe(true)
    }
  })
})

describe('the runbook', () => {
  it('has a paragraph for each alarm and the tables, which says what it means, where to look and what to do', () => {
    const subjects = [...alarmsIn(templates.production).map(runbookOf), 'tables']
    expect([...paragraphs.keys()].toSorted()).toEqual(subjects.toSorted())
    const parts = /^- \*\*What it means\*\*: \w.* - \*\*Where to look\*\*: .*\w.* - \*\*What to do\*\*: .*\w/
    for (const [subject, text] of paragraphs) expect(text, subject).toMatch(parts)
  })
})

describe('the topic of alarms', () => {
  it('takes messages of this account over TLS only', () => {
    const [policy] = Object.values(resourcesOf(templates.production.api, 'AWS::SNS::TopicPolicy'))
    expect(plain(policy?.Properties['PolicyDocument']).Statement).toMatchObject([
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      {
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        Action: 'sns:Publish',
      },
    ])
  })

  it('has no subscriber until an address is set', () => {
    templates.production.api.resourceCountIs('AWS::SNS::Subscription', 0)
    synthesize('production', { alarmEmail: 'none' }).api.resourceCountIs('AWS::SNS::Subscription', 0)
    const { api } = synthesize('production', everyOption)
    const subscription = { Protocol: 'email', Endpoint: everyOption.alarmEmail }
    api.hasResourceProperties('AWS::SNS::Subscription', subscription)
  })
})
