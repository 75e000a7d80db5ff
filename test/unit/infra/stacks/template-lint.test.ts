import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type EnvironmentName, environmentNames } from '../../../../infra/environments.ts'
import { configure } from '../../../../infra/operator-options.ts'
import { sized } from '../../../fixtures/size.ts'
import { createStage } from '../synthesized.ts'

const found = spawnSync('cfn-lint', ['--version']).status === 0
if (!found && process.env['CI'] === undefined) console.warn('cfn-lint is not found: the templates are not linted here.')

/** CDK writes DependsOn for a role that a function refers to as well; CloudFormation does not mind. */
const redundantDependency = 'W3005'

const everyOption = configure('production', {
  'production.account': '111122223333',
  'production.region': 'eu-central-1',
  'production.alarmEmail': 'ops@example.org',
  'production.contactUrl': 'https://example.org/keys',
  'production.domainName': 'api.example.org',
  'production.certificateArn': 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
  'production.reservedConcurrency': '50',
  'production.requestsPerAddress': '50000',
  'production.release': 'canary',
  'production.tracing': 'on',
  'production.monthlyBudget': '1000',
})

describe('the templates', () => {
  it.runIf(found || process.env['CI'] !== undefined)('have no error and no warning of cfn-lint', () => {
    const withEveryOption = () => createStage('production', { config: everyOption })
    const stages = sized<readonly EnvironmentName[]>([], environmentNames).map((environment) =>
      createStage(environment),
    )
    const templates = [...stages, withEveryOption()].flatMap((stage) => {
      const { directory: folder, stacks } = stage.synth()
      expect(stacks).toHaveLength(4)
      return readdirSync(folder)
        .filter((name) => name.endsWith('.template.json'))
        .map((name) => join(folder, name))
    })
    const { status, stdout, error } = spawnSync(
      'cfn-lint',
      ['--ignore-checks', redundantDependency, '--', ...templates],
      { encoding: 'utf8' },
    )
    expect(error, 'cfn-lint must be found where CI is set').toBeUndefined()
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
})
