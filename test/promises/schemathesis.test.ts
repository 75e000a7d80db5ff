import { execFile, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openLocalEnvironment } from '../fixtures/environment/local-environment.ts'
import { chooseBySize, shouldSkipWithout } from '../fixtures/machine/size.ts'

const isSkipped = shouldSkipWithout(
  spawnSync('schemathesis', ['--version']).status === 0,
  'No requests are made from the contract: there is no schemathesis.',
)

/** Number of requests at most for each operation in a phase. */
const requestCount = chooseBySize('60', '60', '1000')

const configuration = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
const contract = fileURLToPath(new URL('../../shared/contract/openapi.yaml', import.meta.url))

/** Runs schemathesis. It writes what it finds to its working folder, which is a temporary one. */
const runSchemathesis = (words: readonly string[], variables: NodeJS.ProcessEnv) => {
  const { promise, resolve } = Promise.withResolvers<{ readonly hasFailed: boolean; readonly output: string }>()
  const options = { cwd: tmpdir(), env: { ...process.env, ...variables } }
  execFile('schemathesis', words, options, (error, output, errors) =>
    resolve({ hasFailed: error !== null, output: output + errors }),
  )
  return promise
}

it.skipIf(isSkipped)('every response to requests made from the contract is as the contract says', async () => {
  const { baseUrl, apiKey, stop } = await openLocalEnvironment()
  onTestFinished(stop)
  const words = [
    '--config-file',
    configuration,
    'run',
    contract,
    '--phases',
    'examples,coverage,fuzzing,stateful',
    '--max-examples',
    requestCount,
    '--seed',
    // test/vitest.config.ts always sets the seed.
    process.env['PET_SEED'] ?? '',
  ]

  const { hasFailed, output } = await runSchemathesis(words, { PET_API_URL: baseUrl, PET_API_KEY: apiKey })

  expect(hasFailed, output).toBe(false)
  expect(output, 'some operations were tested').toMatch(/Tested: [1-9]/)
})
