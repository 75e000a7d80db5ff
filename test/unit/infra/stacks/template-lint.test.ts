import { spawnSync } from 'node:child_process'
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

it.skipIf(isSkipped)('cfn-lint finds no error and no warning in any template', () => {
  const stages = [
    createStage('staging'),
    createStage('production', { ...everyOption, ...place }),
    ...sized([], [createStage('production'), createStage('production', presets.small)]),
  ]
  const templates = stages.flatMap((stage) => stage.synth().stacks.map(({ templateFullPath }) => templateFullPath))
  const words = ['--ignore-checks', redundantDependency, '--regions', place.region, '--', ...templates]
  const { status, stdout, stderr } = spawnSync('cfn-lint', words, { encoding: 'utf8' })
  expect([status, stdout + stderr]).toEqual([0, ''])
})
