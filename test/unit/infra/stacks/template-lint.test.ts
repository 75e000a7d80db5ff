import { spawnSync } from 'node:child_process'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import { expect, it } from 'vitest'
import { presets } from '../../../../infra/environments.ts'
import { sized, skipsWithout } from '../../../fixtures/size.ts'
import { createStage, everyOption, place } from '../synthesized.ts'

const isSkipped = skipsWithout(
  spawnSync('sh', ['-c', 'command -v cfn-lint']).status === 0,
  'The templates are not linted: there is no cfn-lint.',
)

/** CDK writes DependsOn for a role that a function refers to as well; CloudFormation does not mind. */
const redundantDependency = 'W3005'

/** Every Region where the service may be deployed, as far as cfn-lint knows its types of resources: it lists them where one is unknown. */
const everyRegion = (): readonly string[] => {
  const { stderr } = spawnSync('cfn-lint', ['--regions', 'none', '--', 'cdk.json'], { encoding: 'utf8' })
  const regions = RegionInfo.regions
    .filter(({ name, partition }) => partition === 'aws' && stderr.includes(`'${name}'`))
    .map(({ name }) => name)
  expect(regions.length).toBeGreaterThan(30)
  return regions
}

it.skipIf(isSkipped)('cfn-lint finds no error and no warning in any template, in any Region', () => {
  const stages = [
    createStage('staging'),
    createStage('production', { ...everyOption, ...place }),
    ...sized([], [createStage('production'), createStage('production', presets.small)]),
  ]
  const templates = stages.flatMap((stage) => stage.synth().stacks.map(({ templateFullPath }) => templateFullPath))
  const regions = sized(() => [place.region], everyRegion)()
  const words = ['--ignore-checks', redundantDependency, '--regions', ...regions, '--', ...templates]
  const { status, stdout, stderr } = spawnSync('cfn-lint', words, { encoding: 'utf8' })
  expect([status, stdout + stderr]).toEqual([0, ''])
})
