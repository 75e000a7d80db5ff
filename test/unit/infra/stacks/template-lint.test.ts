import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { presets } from '../../../../infra/environments.ts'
import { chooseBySize, shouldSkipWithout } from '../../../fixtures/size.ts'
import { accountAndRegion, createStage, everyOption } from '../../../fixtures/templates.ts'

const isSkipped = shouldSkipWithout(
  spawnSync('sh', ['-c', 'command -v cfn-lint']).status === 0,
  'The templates are not linted: there is no cfn-lint.',
)

/** Rule against a DependsOn that a reference implies anyway. CDK writes it for roles of functions. It does no harm. */
const redundantDependency = 'W3005'

// `npm test` lints two stages for one Region. `npm run test:all` lints all for every Region.
it.skipIf(isSkipped)('cfn-lint finds no fault in the templates', () => {
  const smallStages = [createStage('staging'), createStage('production', { ...everyOption, ...accountAndRegion })]
  const allStages = [...smallStages, createStage('production'), createStage('production', presets.small)]
  const lintedStages = chooseBySize(smallStages, allStages)
  const templates = lintedStages.flatMap((stage) =>
    stage.synth().stacks.map(({ templateFullPath }) => templateFullPath),
  )
  const region = chooseBySize(accountAndRegion.region, 'ALL_REGIONS')

  const { error, stdout, stderr } = spawnSync(
    'cfn-lint',
    ['--ignore-checks', redundantDependency, '--regions', region, '--', ...templates],
    { encoding: 'utf8' },
  )

  const reports = (stdout + stderr).split('\n\n')
  // Ignore reports about other partitions than `aws`: the service cannot be deployed there.
  const faults = reports.filter((report) => report !== '' && !/not exist in '(cn|us-gov|us-iso)/.test(report))
  expect(error).toBeUndefined()
  expect(faults).toEqual([])
})
