import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { presets } from '../../../../infra/environments.ts'
import { accountAndRegion, createStage, everyOption } from '../../../fixtures/environment/templates.ts'
import { chooseBySize, shouldSkip, shouldSkipWithout } from '../../../fixtures/machine/size.ts'

/** Rule against a DependsOn that a reference implies anyway. CDK writes it for roles of functions. It does no harm. */
const redundantDependency = 'W3005'

/** Runs cfn-lint on templates, for every Region of AWS. @returns the reports of faults */
const findLintFaults = (templates: readonly string[]): readonly string[] => {
  const options = ['--ignore-checks', redundantDependency, '--regions', 'ALL_REGIONS', '--']
  const { error, stdout, stderr } = spawnSync('cfn-lint', [...options, ...templates], { encoding: 'utf8' })
  if (error !== undefined) throw error
  return (stdout + stderr).split('\n\n').filter((report) => report !== '')
}

const isSkipped =
  shouldSkip(chooseBySize(true, false), 'The templates are not linted: "TEST_SIZE=full npm test" lints them.') ||
  shouldSkipWithout(
    spawnSync('sh', ['-c', 'command -v cfn-lint']).status === 0,
    'The templates are not linted: there is no cfn-lint.',
  )

it.skipIf(isSkipped)('cfn-lint finds no fault in the templates', () => {
  const stages = [
    createStage('production', { ...everyOption, ...accountAndRegion }),
    createStage('staging'),
    createStage('production'),
    createStage('production', presets.small),
  ]
  // Some stages have the same data stack or reference stack.
  const templates = new Map<string, string>()
  for (const { template, templateFullPath } of stages.flatMap((stage) => stage.synth().stacks)) {
    templates.set(JSON.stringify(template), templateFullPath)
  }

  const reports = findLintFaults([...templates.values()])

  // The reference cannot be deployed in other partitions than `aws`.
  const faults = reports.filter((report) => !/not exist in '(cn|us-gov|us-iso)/.test(report))
  expect(faults).toEqual([])
})
