import { expect, it, onTestFinished } from 'vitest'
import { openLocalEnvironment } from '../../../../fixtures/local-environment.ts'
import { runNode } from '../../../../fixtures/node-process.ts'

// test/deployed runs a smoke test to its end, and test/e2e interrupts one.
it('npm run smoke --read-only runs no test that adds a pet', async () => {
  const { dataFolder, stop } = await openLocalEnvironment()
  onTestFinished(stop)
  const readingTest = 'the id 1 is 404'
  const addingTest = 'a pet without a status is available'
  const words = [
    '--env',
    'local',
    '--data',
    dataFolder,
    '--read-only',
    '--json',
    '--only',
    `${readingTest}|${addingTest}`,
  ]

  const { exitCode, output } = await runNode(['infra/operations/smoke/smoke.ts', ...words])

  expect(JSON.parse(output)).toMatchObject({ passed: 1, failed: 0 })
  expect(exitCode).toBe(0)
})
