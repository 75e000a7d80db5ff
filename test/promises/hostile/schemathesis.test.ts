import { execFile, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openLocalEnvironment } from '../../fixtures/local-environment.ts'
import { chooseBySize, shouldSkipWithout } from '../../fixtures/size.ts'

const isSkipped = shouldSkipWithout(
  spawnSync('schemathesis', ['--version']).status === 0,
  'No requests are made from the contract: there is no schemathesis.',
)

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Whether it found a fault, and what it printed. It keeps what it found in its working folder. */
const schemathesis = (words: readonly string[], variables: NodeJS.ProcessEnv) =>
  new Promise<{ readonly failed: boolean; readonly output: string }>((resolve) => {
    const options = { cwd: tmpdir(), env: { ...process.env, ...variables } }
    execFile('schemathesis', words, options, (error, output, errors) =>
      resolve({ failed: error !== null, output: output + errors }),
    )
  })

it.skipIf(isSkipped)('every response to the requests made from the contract is as the contract says', async () => {
  const { baseUrl, apiKey, stop } = await openLocalEnvironment()
  onTestFinished(stop)
  const words = [
    ...['--config-file', pathOf('schemathesis.toml'), 'run', pathOf('../../../shared/contract/openapi.yaml')],
    ...['--phases', chooseBySize('fuzzing', 'examples,coverage,fuzzing,stateful')],
    ...['--max-examples', chooseBySize('20', '500'), '--seed', process.env['PET_SEED'] ?? ''],
  ]
  const { failed, output } = await schemathesis(words, { PET_API_URL: baseUrl, PET_API_KEY: apiKey })
  expect(failed, output).toBe(false)
  expect(output).toMatch(/Tested: [1-9]/)
})
