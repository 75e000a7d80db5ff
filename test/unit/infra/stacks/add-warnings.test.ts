import { Stack } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { defaults, type EnvironmentConfig, type EnvironmentName, presets } from '../../../../infra/environments.ts'
import { addWarnings } from '../../../../infra/stacks/add-warnings.ts'

/** Finds the texts of the warnings that the stacks of an environment show. */
const findWarnings = (
  environment: EnvironmentName,
  config: EnvironmentConfig,
  time = '2030-01-01',
): readonly string[] => {
  const stack = new Stack()
  addWarnings(stack, { environment, config }, () => Date.parse(time))
  const warnings = stack.node.metadata.filter(({ type }) => type === 'aws:cdk:warning')
  return warnings.map(({ data }) => String(data).replace(/ \[ack: .*\]$/, ''))
}

describe('the warnings', () => {
  it.each<{ readonly setting: string; readonly change: Partial<EnvironmentConfig> }>([
    { setting: 'alarmEmail is none', change: { alarmEmail: 'none' } },
    { setting: 'alarmEmail is an address', change: { alarmEmail: 'ops@example.org' } },
    { setting: 'the preset small turns the alarms off', change: presets.small },
  ])('production has no warning about its alarms if $setting', ({ change }) => {
    expect(findWarnings('production', { ...defaults.production, ...change })).toEqual([])
  })

  it('an environment warns of a Region that this version of CDK does not know', () => {
    expect(findWarnings('staging', { ...defaults.staging, region: 'eu-central-9' })).toEqual([
      'CDK knows no AWS Region eu-central-9: correct staging.region, unless the Region is new.',
    ])
  })

  it.each([
    { time: '2030-09-05T23:59:59Z', expected: [] },
    {
      time: '2030-09-06T00:00:00Z',
      expected: ['getPet responds 404 from 2030-12-05 on: tell its callers, then remove it.'],
    },
  ])('at $time, 90 days before a sunset or earlier, the warnings are $expected', ({ time, expected }) => {
    expect(findWarnings('staging', defaults.staging, time)).toEqual(expected)
  })
})
