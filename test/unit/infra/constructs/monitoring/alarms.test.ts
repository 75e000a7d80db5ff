import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { options, type Resource, resourcesOf, synthesize, type Templates } from '../../synthesized.ts'

const runbook = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const paragraphs = new Map(
  (runbook.split('\n## Runbook\n')[1]?.split('\n## ')[0] ?? '').split('\n### ').flatMap((section, index) => {
    const [heading = '', ...text] = section.split('\n')
    return index === 0 ? [] : [[heading, text.join(' ').trim()] as const]
  }),
)

const templates = {
  staging: synthesize('staging'),
  production: synthesize('production'),
}

const alarmsIn = ({ api }: Templates): readonly Resource[] => Object.values(resourcesOf(api, 'AWS::CloudWatch::Alarm'))

const nameOf = ({ Properties }: Resource): string => String(Properties['AlarmName'])
const runbookOf = ({ Properties }: Resource): string =>
  String(/ Runbook: infra\/README\.md#([\w-]+)$/.exec(String(Properties['AlarmDescription']))?.[1])

const ofRequests = [
  'server-errors',
  'errors-at-low-traffic',
  'latency',
  'authorizer-failures',
  'unauthorized',
  'limited',
]

describe.each([
  ['staging', ofRequests],
  ['production', [...ofRequests, 'blocked']],
] as const)('the alarms of %s', (environment, expected) => {
  const alarms = alarmsIn(templates[environment])
  const names = alarms.map(nameOf)

  it('tell each symptom once for the service', () => {
    expect(names.toSorted()).toEqual(expected.map((name) => `pet-adoption-${environment}-${name}`).toSorted())
  })

  it('link their paragraph of the runbook', () => {
    for (const alarm of alarms) {
      expect(paragraphs.get(runbookOf(alarm)), nameOf(alarm)).toMatch(/\w{3}/)
      expect(nameOf(alarm).endsWith(`-${runbookOf(alarm)}`), nameOf(alarm)).toBe(true)
    }
  })

  it('notify the topic when they begin and when they end', () => {
    for (const { Properties } of alarms) {
      expect(Properties).toMatchObject({ AlarmActions: [expect.anything()], OKActions: [expect.anything()] })
      expect(JSON.stringify(Properties['AlarmActions'])).toContain('AlarmsTopic')
    }
  })

  it('judge latency from at least 20 samples', () => {
    const latency = alarms.find((alarm) => nameOf(alarm).endsWith('latency'))
    expect(latency?.Properties).not.toHaveProperty('EvaluateLowSampleCountPercentile')
    const metrics = JSON.stringify(latency?.Properties['Metrics'])
    expect(metrics).toContain('"IF(requests >= 20, slowest, 0)"')
    expect(metrics).toMatch(/"Id":"requests".*"Stat":"SampleCount".*"Id":"slowest".*"Stat":"p95"/)
  })

  it.each([
    ['server-errors', 5, 60],
    ['errors-at-low-traffic', 3, 900],
  ])('judge the share of failures from so many that they are no accident: %s', (name, least, period) => {
    const alarm = alarms.find((one) => runbookOf(one) === name)
    const metrics = JSON.stringify(alarm?.Properties['Metrics'])
    expect(metrics).toContain(`"IF(failed >= ${least}, 100 * failed / requests, 0)"`)
    expect(metrics.match(/"Period":\d+/g)).toEqual([`"Period":${period}`, `"Period":${period}`])
  })
})

describe('the alarms', () => {
  it('are all on the dashboard of production', () => {
    const { api } = templates.production
    const [dashboard] = Object.values(resourcesOf(api, 'AWS::CloudWatch::Dashboard'))
    const body = JSON.stringify(dashboard?.Properties['DashboardBody'])
    for (const id of Object.keys(resourcesOf(api, 'AWS::CloudWatch::Alarm'))) expect(body).toContain(`"${id}","Arn"`)
  })

  it('and the metrics that only they need are not there where the operator turns them off', () => {
    const { api } = synthesize('staging', { alarms: false })
    for (const type of ['CloudWatch::Alarm', 'Logs::MetricFilter']) api.resourceCountIs(`AWS::${type}`, 0)
  })
})

describe('the runbook', () => {
  it('has a paragraph for each alarm and the tables, to which others lead', () => {
    const subjects = [...alarmsIn(templates.production).map(runbookOf), 'tables']
    expect([...paragraphs.keys()].toSorted()).toEqual(subjects.toSorted())
  })

  it('says in each paragraph what the alarm means, where to look and what to do, in this order', () => {
    const parts = /^- \*\*What it means\*\*: \w.* - \*\*Where to look\*\*: .*\w.* - \*\*What to do\*\*: .*\w/
    for (const [subject, text] of paragraphs) expect(text, subject).toMatch(parts)
  })
})

describe('the address of the runbook', () => {
  it('is the link of every alarm where the operator sets it', () => {
    const { runbookUrl } = options.production
    const linked = alarmsIn(synthesize('production', options.production)).map(({ Properties }) => Properties)
    expect(linked).toHaveLength(alarmsIn(templates.production).length)
    for (const { AlarmName, AlarmDescription } of linked) {
      const [description, link = ''] = String(AlarmDescription).split(' Runbook: ')
      expect(description).toMatch(/\.$/)
      expect(paragraphs.has(link.replace(`${runbookUrl}#`, '')), String(AlarmName)).toBe(true)
    }
  })
})

describe('the topic of alarms', () => {
  const { api } = templates.production

  it('takes messages of this account over TLS only', () => {
    const [policy] = Object.values(resourcesOf(api, 'AWS::SNS::TopicPolicy'))
    const [tls, alarms] = JSON.parse(JSON.stringify(policy?.Properties['PolicyDocument'])).Statement
    expect(tls).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })
    expect(alarms).toMatchObject({
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      Action: 'sns:Publish',
    })
  })

  it('has no subscriber until an address is set', () => {
    api.resourceCountIs('AWS::SNS::Subscription', 0)
    synthesize('production', options.production).api.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: options.production.alarmEmail,
    })
  })
})
