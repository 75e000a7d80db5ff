import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import { describe, expect, it } from 'vitest'
import { defaults, type EnvironmentConfig, environmentNames } from '../../../../infra/environments.ts'
import { sized } from '../../../fixtures/size.ts'
import { createStage } from '../synthesized.ts'

const found = spawnSync('cfn-lint', ['--version']).status === 0
if (!found && process.env['CI'] === undefined) console.warn('cfn-lint is not found: the templates are not linted here.')

/** CDK writes DependsOn for a role that a function refers to as well; CloudFormation does not mind. */
const redundantDependency = 'W3005'

const everyOption: EnvironmentConfig = {
  ...defaults.production,
  account: '111122223333',
  region: 'eu-central-1',
  alarmEmail: 'ops@example.org',
  contactUrl: 'https://example.org/keys',
  domain: {
    name: 'api.example.org',
    certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
  },
  reservedConcurrency: 50,
  tracing: true,
  logRetentionDays: 365,
}

/** Every Region where the service may be deployed, as far as cfn-lint knows its types of resources: it lists them where one is unknown. */
const everyRegion = (): readonly string[] => {
  const { stderr } = spawnSync('cfn-lint', ['--regions', 'none', '--', 'cdk.json'], { encoding: 'utf8' })
  const regions = RegionInfo.regions
    .filter(({ name, partition }) => partition === 'aws' && stderr.includes(`'${name}'`))
    .map(({ name }) => name)
  expect(regions.length).toBeGreaterThan(30)
  return regions
}

const withEveryOption = {
  what: 'of every option',
  stages: () => [createStage('production', { config: everyOption })],
  regions: () => ['eu-central-1'],
}

const inEveryRegion = {
  what: 'of the environments in every Region',
  stages: () => environmentNames.map((environment) => createStage(environment)),
  regions: everyRegion,
}

describe('the templates', () => {
  it.runIf(found || process.env['CI'] !== undefined).each(sized([withEveryOption], [withEveryOption, inEveryRegion]))(
    '$what have no error and no warning of cfn-lint',
    ({ stages, regions }) => {
      const templates = stages().flatMap((stage) => {
        const { directory: folder, stacks } = stage.synth()
        expect(stacks).toHaveLength(3)
        return readdirSync(folder)
          .filter((name) => name.endsWith('.template.json'))
          .map((name) => join(folder, name))
      })
      const { status, stdout, stderr, error } = spawnSync(
        'cfn-lint',
        ['--ignore-checks', redundantDependency, '--regions', ...regions(), '--', ...templates],
        { encoding: 'utf8' },
      )
      expect(error, 'cfn-lint must be found where CI is set').toBeUndefined()
      expect(stdout + stderr).toBe('')
      expect(status).toBe(0)
    },
  )
})
