import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { presets } from '../../../../infra/environments.ts'
import { chooseBySize, shouldSkipWithout } from '../../../fixtures/size.ts'
import { accountAndRegion, createStage, everyOption } from '../../../fixtures/templates.ts'

const isSkipped = shouldSkipWithout(
  spawnSync('sh', ['-c', 'command -v cfn-lint']).status === 0,
  'The templates are not linted: there is no cfn-lint.',
)

/** CDK writes DependsOn for a role that a function refers to as well; CloudFormation does not mind. */
const redundantDependency = 'W3005'

it.skipIf(isSkipped)('cfn-lint finds no error and no warning in any template, in any Region', () => {
  const stages = [
    createStage('staging'),
    createStage('production', { ...everyOption, ...accountAndRegion }),
    ...chooseBySize([], [createStage('production'), createStage('production', presets.small)]),
  ]
  const templates = stages.flatMap((stage) => stage.synth().stacks.map(({ templateFullPath }) => templateFullPath))
  const region = chooseBySize(accountAndRegion.region, 'ALL_REGIONS')
  const words = ['--ignore-checks', redundantDependency, '--regions', region, '--', ...templates]
  const { error, stdout, stderr } = spawnSync('cfn-lint', words, { encoding: 'utf8' })
  // In other partitions than `aws` the service cannot be deployed.
  const faults = (stdout + stderr).split('\n\n').filter((fault) => !/^$|not exist in '(cn|us-gov|us-iso)/.test(fault))
  expect([error, faults]).toEqual([undefined, []])
})
