import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readFunctionFolders } from '../../../../../infra/constructs/functions/function-folders.ts'
import { environmentNames } from '../../../../../infra/environments.ts'
import { type Resource, resourcesOf, synthesize } from '../../synthesized.ts'

const runbook = readFileSync(new URL('../../../../../infra/README.md', import.meta.url), 'utf8')
const paragraphs = new Map(
  (runbook.split('\n## Runbook\n')[1]?.split('\n## ')[0] ?? '').split('\n### ').flatMap((section, index) => {
    const [heading = '', ...text] = section.split('\n')
    return index === 0 ? [] : [[heading, text.join(' ').trim()] as const]
  }),
)

const templates = { staging: synthesize('staging'), production: synthesize('production') }

const alarmsOf = (environment: keyof typeof templates): readonly Resource[] => {
  const { data, api, monitoring } = templates[environment]
  return [data, api, monitoring].flatMap((template) => Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')))
}

const nameOf = ({ Properties }: Resource): string => String(Properties['AlarmName'])
const runbookOf = ({ Properties }: Resource): string =>
  String(/ Runbook: infra\/README\.md#([\w-]+)$/.exec(String(Properties['AlarmDescription']))?.[1])

describe.each(environmentNames)('the alarms of %s', (environment) => {
  const alarms = alarmsOf(environment)
  const names = alarms.map(nameOf)

  it('link their paragraph of the runbook', () => {
    for (const alarm of alarms) {
      expect(paragraphs.get(runbookOf(alarm)), nameOf(alarm)).toMatch(/\w{3}/)
      expect(nameOf(alarm).endsWith(`-${runbookOf(alarm)}`), nameOf(alarm)).toBe(true)
    }
  })

  it('have different names', () => {
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(new RegExp(`^pet-adoption-${environment}-`))
  })

  it('notify the topic when they begin and when they end', () => {
    for (const { Properties } of alarms) {
      expect(Properties).toMatchObject({ AlarmActions: [expect.anything()], OKActions: [expect.anything()] })
      expect(JSON.stringify(Properties['AlarmActions'])).toContain('AlarmsTopic')
    }
  })

  it('watch every function for slow runs and throttling, and all but the authorizer for crashes', () => {
    for (const name of readFunctionFolders()) {
      expect(names).toContain(`pet-adoption-${environment}-${name}-function-latency`)
      expect(names).toContain(`pet-adoption-${environment}-${name}-function-throttles`)
      // An invalid key makes the authorizer throw, which Lambda counts as an error.
      expect(names.includes(`pet-adoption-${environment}-${name}-function-errors`)).toBe(name !== 'authorizer')
    }
  })

  it('judge latency from at least 20 samples', () => {
    const latencies = alarms.filter((alarm) => nameOf(alarm).endsWith('latency'))
    expect(latencies).toHaveLength(readFunctionFolders().length + 1)
    for (const { Properties } of latencies) {
      expect(Properties).not.toHaveProperty('EvaluateLowSampleCountPercentile')
      const metrics = JSON.stringify(Properties['Metrics'])
      expect(metrics).toContain('"IF(runs >= 20, slowest, 0)"')
      expect(metrics).toMatch(/"Id":"runs".*"Stat":"SampleCount".*"Id":"slowest".*"Stat":"p95"/)
    }
  })

  it.each(['pets', 'api-keys', 'idempotency'])(
    'watch the table %s for throttles and for faults of DynamoDB',
    (table) => {
      expect(names).toContain(`pet-adoption-${environment}-${table}-table-throttles`)
      expect(names).toContain(`pet-adoption-${environment}-${table}-table-errors`)
    },
  )

  it.each(['server-errors', 'latency', 'authorizer-failures', 'unauthorized', 'limited', 'banned'])(
    'watch the API for %s',
    (alarm) => {
      expect(names).toContain(`pet-adoption-${environment}-${alarm}`)
    },
  )

  it('are all on the dashboard', () => {
    const [dashboard] = Object.values(resourcesOf(templates[environment].monitoring, 'AWS::CloudWatch::Dashboard'))
    const body = JSON.stringify(dashboard?.Properties['DashboardBody'])
    for (const name of names) expect(body).toContain(`:alarm:${name}`)
  })
})

describe('the runbook', () => {
  it('has no paragraph without an alarm or the budget', () => {
    const subjects = [...alarmsOf('production').map(runbookOf), 'budget']
    expect([...paragraphs.keys()].sort()).toEqual([...new Set(subjects)].sort())
  })

  it('says in each paragraph what the alarm means, where to look and what to do, in this order', () => {
    const parts = /^- \*\*What it means\*\*: \w.* - \*\*Where to look\*\*: .*\w.* - \*\*What to do\*\*: .*\w/
    for (const [subject, text] of paragraphs) expect(text, subject).toMatch(parts)
  })
})

describe('the address of the runbook', () => {
  it('is the link of every alarm where the operator sets it', () => {
    const runbookUrl = 'https://git.example.org/pets/infra/README.md'
    const { api, monitoring } = synthesize('production', { runbookUrl })
    const linked = [api, monitoring].flatMap((template) =>
      Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties),
    )
    expect(linked).toHaveLength(alarmsOf('production').length)
    for (const { AlarmName, AlarmDescription } of linked) {
      const [description, link = ''] = String(AlarmDescription).split(' Runbook: ')
      expect(description).toMatch(/\.$/)
      expect(paragraphs.has(link.replace(`${runbookUrl}#`, '')), String(AlarmName)).toBe(true)
    }
  })
})

describe('the topic of alarms', () => {
  const { api } = templates.production

  it('is encrypted with a key that CloudWatch and AWS Budgets may use, and takes messages over TLS only', () => {
    api.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: {} })
    const [policy] = Object.values(resourcesOf(api, 'AWS::SNS::TopicPolicy'))
    const [tls, alarms] = JSON.parse(JSON.stringify(policy?.Properties['PolicyDocument'])).Statement
    expect(tls).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })
    const byAlarms = {
      Principal: { Service: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    }
    expect(alarms).toMatchObject({ ...byAlarms, Action: 'sns:Publish' })
    const [key] = Object.values(resourcesOf(api, 'AWS::KMS::Key'))
    expect(key?.Properties).toMatchObject({ EnableKeyRotation: true })
    expect(JSON.parse(JSON.stringify(key?.Properties['KeyPolicy'])).Statement).toContainEqual(
      expect.objectContaining({ ...byAlarms, Action: ['kms:Decrypt', 'kms:GenerateDataKey*'] }),
    )
  })

  it('has no subscriber until an address is set', () => {
    api.resourceCountIs('AWS::SNS::Subscription', 0)
    synthesize('production', { alarmEmail: 'ops@example.org' }).api.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.org',
    })
  })
})
