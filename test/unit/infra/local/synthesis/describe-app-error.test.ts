import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../../../../infra/command-line/repository-root.ts'
import { describeAppError } from '../../../../../infra/local/synthesis/describe-app-error.ts'

it('an error of the CDK is described with the line of the repository that caused it', () => {
  const error = new Error('Durations cannot be negative.')
  const root = pathToFileURL(repositoryRoot).href
  error.stack = [
    `Error: ${error.message}`,
    `    at Duration.seconds (${root}node_modules/aws-cdk-lib/core/lib/duration.js:1:700)`,
    '    ...Duration.seconds in aws-cdk-lib...',
    `    at ${root}infra/app.ts:5:2`,
    '    at ModuleJob.run (node:internal/modules/esm/module_job:553:5)',
    '    ...node internals...',
  ].join('\n')

  expect(describeAppError(error)).toBe('Error: Durations cannot be negative.\n    at infra/app.ts:5:2')
})
