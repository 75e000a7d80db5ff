import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type EnvironmentConfig, environments, sizes } from '../../../infra/environments.ts'
import { operatorOptions } from '../../../infra/operator-options.ts'
import { configure } from '../../../infra/settings.ts'

const readme = readFileSync(new URL('../../../infra/README.md', import.meta.url), 'utf8')
const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000'

describe('the options of an environment', () => {
  it('are unset by default', () => {
    expect(configure('staging', {})).toEqual(environments.staging)
    expect(configure('production', { 'staging.alarmEmail': 'ops@example.org' })).toEqual(environments.production)
  })

  const { functions, logs } = environments.staging
  it.each<[Readonly<Record<string, string | number>>, Partial<EnvironmentConfig>]>([
    [{ account: '111122223333' }, { account: '111122223333' }],
    [{ region: 'eu-central-1' }, { region: 'eu-central-1' }],
    [{ alarmEmail: 'ops@example.org' }, { alarmEmail: 'ops@example.org' }],
    [{ contactUrl: 'mailto:keys@example.org' }, { contactUrl: 'mailto:keys@example.org' }],
    [{ contactUrl: 'https://a.example/keys?topic=api' }, { contactUrl: 'https://a.example/keys?topic=api' }],
    [{ runbookUrl: 'https://a.example/infra/README.md' }, { runbookUrl: 'https://a.example/infra/README.md' }],
    [{ domainName: 'api.example.org', certificateArn }, { domain: { name: 'api.example.org', certificateArn } }],
    [{ reservedConcurrency: '50' }, { functions: { ...functions, reservedConcurrency: 50 } }],
    [{ requestsPerAddress: 50_000 }, { firewall: { requestsPerAddress: 50_000 } }],
    [{ release: 'canary' }, { release: 'canary' }],
    [{ tracing: 'sampled' }, { tracing: 'sampled' }],
    [{ logRetentionDays: '365' }, { logs: { ...logs, retentionDays: 365 } }],
    [{ alarms: 'off' }, { alarms: false }],
    [{ dashboard: 'on' }, { dashboard: true }],
    [{ topicKey: 'on' }, { topicKey: true }],
    [{ probe: 'on' }, { probe: true }],
    [{ monthlyBudget: '1000' }, { monthlyBudget: 1_000 }],
  ])('are taken from the context: %o', (given, change) => {
    const context = Object.fromEntries(Object.entries(given).map(([name, value]) => [`staging.${name}`, value]))
    expect(configure('staging', context)).toEqual({ ...environments.staging, ...change })
  })

  it('leave alone what others put into the context', () => {
    const context = {
      '@aws-cdk/core:checkSecretUsage': true,
      'aws:cdk:bundling-stacks': ['**'],
      'availability-zones:account=111122223333:region=eu-central-1': ['eu-central-1a'],
      'hosted-zone:account=111122223333:domainName=staging.example.org:region=eu-central-1': {},
      'some.package/flag': true,
      'acknowledged-issue-numbers': [],
      'cli-telemetry': false,
      debug: true,
      tree: true,
    }
    expect(configure('staging', context)).toEqual(environments.staging)
  })

  it.each([
    ['stagin.alarmEmail', 'a@example.org', 'The option stagin.alarmEmail names no environment: write one of'],
    ['alarmEmail', 'a@example.org', 'The option alarmEmail names no environment: write one of'],
    ['alarmemail', 'a@example.org', 'The option alarmemail names no environment: write one of'],
    ['alarm-email', 'a@example.org', 'The option alarm-email names no environment: write one of'],
    ['stagingAlarmEmail', 'a@example.org', 'The option stagingAlarmEmail names no environment: write one of'],
    ['staging/alarmEmail', 'a@example.org', 'The option staging/alarmEmail names no environment: write one of'],
    ['staging:alarmEmail', 'a@example.org', 'The option staging:alarmEmail names no environment: write one of'],
    ['staging.alarm.email', 'a@example.org', 'The option staging.alarm.email names no environment: write one of'],
    ['staging.alarmMail', 'a@example.org', 'There is no option staging.alarmMail: the options of staging are size,'],
    ['staging.account', '1234', 'The option staging.account must be the twelve digits of an AWS account.'],
    ['staging.region', 'Frankfurt', 'The option staging.region must be an AWS Region, such as eu-central-1.'],
    ['staging.region', 'eu-centrall-1', 'The option staging.region must be an AWS Region, such as eu-central-1.'],
    ['staging.alarmEmail', 'nobody', 'The option staging.alarmEmail must be an e-mail address, or none.'],
    ['staging.contactUrl', 'keys@example.org', 'The option staging.contactUrl must be an address that begins with'],
    ['staging.contactUrl', 'http://example.org/keys', 'The option staging.contactUrl must be an address that begins'],
    ['staging.contactUrl', 'https://', 'The option staging.contactUrl must be an address that begins with https://'],
    ['staging.contactUrl', 'https://a b', 'The option staging.contactUrl must be an address that begins with https://'],
    ['staging.contactUrl', 'mailto:nobody', 'The option staging.contactUrl must be an address that begins with'],
    ['staging.contactUrl', 'javascript:alert(1)', 'The option staging.contactUrl must be an address that begins with'],
    ['staging.runbookUrl', 'infra/README.md', 'The option staging.runbookUrl must be the address of infra/README.md'],
    ['staging.runbookUrl', 'https://a.example/b#c', 'The option staging.runbookUrl must be the address of infra/READ'],
    ['staging.domainName', 'https://api.example.org', 'The option staging.domainName must be a host name'],
    ['staging.certificateArn', 'my-certificate', 'The option staging.certificateArn must be the ARN of a certificate'],
    ['staging.reservedConcurrency', '0', 'The option staging.reservedConcurrency must be a whole number from 1'],
    ['staging.requestsPerAddress', '-1', 'The option staging.requestsPerAddress must be a whole number from 10'],
    ['staging.monthlyBudget', '0', 'The option staging.monthlyBudget must be a whole number of US dollars from 1'],
    ['staging.monthlyBudget', '$50', 'The option staging.monthlyBudget must be a whole number of US dollars from 1'],
    ['staging.tracing', 'on', 'The option staging.tracing must be off, sampled or all.'],
    ['staging.size', 'tiny', 'The option staging.size must be standard or small.'],
    ['staging.alarms', 'true', 'The option staging.alarms must be on or off.'],
    ['staging.logRetentionDays', '31', 'The option staging.logRetentionDays must be 7, 14, 30, 60,'],
    ['staging.release', 'blue-green', 'The option staging.release must be all-at-once or canary.'],
    [
      'staging.domainName',
      'api.example.org',
      'Set staging.domainName and staging.certificateArn together, or neither.',
    ],
  ])('are refused when invalid: %s=%s', (key, value, message) => {
    expect(() => configure('staging', { [key]: value })).toThrow(message)
  })

  it('win over the size, which changes everything that costs without requests', () => {
    const small = { ...environments.production, ...sizes.small }
    expect(configure('production', { 'production.size': 'small' })).toEqual(small)
    const watching = { 'production.alarms': 'on', 'production.probe': 'on' }
    const context = { ...watching, 'production.requestsPerAddress': '100', 'production.size': 'small' }
    const firewall = { requestsPerAddress: 100 }
    expect(configure('production', context)).toEqual({ ...small, alarms: true, probe: true, firewall })
    expect(configure('production', { 'production.size': 'standard' })).toEqual(environments.production)
    expect(configure('production', { 'production.requestsPerAddress': 'off' })).toMatchObject({ firewall: undefined })
  })

  it('give their defaults in the README of the infrastructure', () => {
    const { staging, production } = environments
    expect(readme).toContain(`| production ${production.monthlyBudget}, staging ${staging.monthlyBudget} |`)
  })

  it.each([
    [{ 'staging.alarms': 'off', 'staging.release': 'canary' }, 'staging has release=canary with alarms=off'],
    [{ 'staging.alarms': 'off', 'staging.probe': 'on' }, 'staging has probe=on with alarms=off'],
  ])('are refused where they need alarms and there are none: %o', (context, message) => {
    expect(() => configure('staging', context)).toThrow(message)
  })

  it('need a certificate in the Region of the API', () => {
    const context = {
      'staging.region': 'us-east-1',
      'staging.domainName': 'api.example.org',
      'staging.certificateArn': certificateArn,
    }
    expect(() => configure('staging', context)).toThrow('must be in the Region of the API, us-east-1.')
  })

  it('are all in the README of the infrastructure', () => {
    for (const name of Object.keys(operatorOptions)) expect(readme).toContain(`\`${name}\``)
  })
})
