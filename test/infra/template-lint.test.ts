import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import { createStage } from './synthesized.ts'

const found = spawnSync('cfn-lint', ['--version']).status === 0
if (!found && process.env['CI'] === undefined) console.warn('cfn-lint is not found: the templates are not linted here.')

/** CDK writes DependsOn for a role that a function refers to as well; CloudFormation does not mind. */
const redundantDependency = 'W3005'

describe('the templates', () => {
  it.runIf(found || process.env['CI'] !== undefined)('have no error and no warning of cfn-lint', () => {
    const templates = environmentNames.flatMap((environment) => {
      const { directory: folder, stacks } = createStage(environment).synth()
      expect(stacks).toHaveLength(3)
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
