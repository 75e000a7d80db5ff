import { expect, it } from 'vitest'
import { presets } from '../../../../infra/environments.ts'
import { findLintFaults, isLinterMissing } from '../../../fixtures/lint-templates.ts'
import { chooseBySize } from '../../../fixtures/size.ts'
import { accountAndRegion, createStage, everyOption } from '../../../fixtures/templates.ts'

// `npm test` lints one stage for one Region. `npm run test:all` lints all for every Region.
it.skipIf(isLinterMissing)('cfn-lint finds no fault in the templates', () => {
  const everyOptionStage = createStage('production', { ...everyOption, ...accountAndRegion })
  const otherStages = [createStage('staging'), createStage('production'), createStage('production', presets.small)]
  const lintedStages = chooseBySize([everyOptionStage], [everyOptionStage, ...otherStages])
  const templates = lintedStages.flatMap((stage) =>
    stage.synth().stacks.map(({ templateFullPath }) => templateFullPath),
  )
  const region = chooseBySize(accountAndRegion.region, 'ALL_REGIONS')

  const reports = findLintFaults(templates, region)

  // The reference cannot be deployed in other partitions than `aws`.
  const faults = reports.filter((report) => !/not exist in '(cn|us-gov|us-iso)/.test(report))
  expect(faults).toEqual([])
})
