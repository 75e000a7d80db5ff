import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { openEnvironment } from '../../../../../infra/operations/environment/open-environment.ts'
import { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import { createSmokeKeyOrder } from '../../../../../infra/operations/smoke/sweep.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createTestAudit } from '../../../../fixtures/audit.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands.ts'
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

/** Starts an API that responds to every request with a list without pets. @returns its base URL */
const startEmptyApi = async (): Promise<string> => {
  const server = createServer((_request, response) => response.end('[]'))
  onTestFinished(() => {
    server.close()
  })
  const port = await listen(server, 0)
  return `http://127.0.0.1:${port}`
}

/** Runs the tests with a text in their names against an API that has no pet and refuses nothing. */
const runSmokeOnEmptyApi = async (options: readonly string[], only: string) => {
  const baseUrl = await startEmptyApi()
  const words = [...options, '--base-url', baseUrl, '--json', '--only', only]
  return runNode(['infra/operations/smoke/smoke.ts', ...words])
}

it('npm run smoke ends with 1 if a test fails', async () => {
  const { options } = await registerLocalEnvironment()

  const { exitCode, output } = await runSmokeOnEmptyApi(options, 'the id 1 is 404')

  expect(JSON.parse(output)).toMatchObject({ passed: 0, failed: 1 })
  expect(exitCode).toBe(1)
})

it('npm run smoke fails if no test has the name', async () => {
  const { options } = await registerLocalEnvironment()

  const { exitCode, output, errors } = await runSmokeOnEmptyApi(options, 'nothing-like-this')

  expect(errors).toMatch(/^No test has "nothing-like-this" in its name\.$/m)
  expect(output).toBe('')
  expect(exitCode).toBe(1)
})

it('npm run smoke revokes the keys of runs that were killed, and none of a run that goes on', async () => {
  const { dataFolder, options } = await registerLocalEnvironment()
  using environment = await openEnvironment({ name: 'local', dataFolder })
  const audit = createTestAudit(environment)
  const present = new KeyAdministration(environment, { audit })
  const twoHoursAgo = new KeyAdministration(environment, { audit, clock: () => Date.now() - 7_200_000 })
  const killed = await twoHoursAgo.issue(createSmokeKeyOrder('a killed run', 'pro', fixedPlans.pro))
  const running = await present.issue(createSmokeKeyOrder('a run that goes on', 'pro', fixedPlans.pro))

  await runSmokeOnEmptyApi(options, 'nothing-like-this')

  expect(await present.show(killed.record.keyId)).toMatchObject({ state: 'revoked' })
  expect(await present.show(running.record.keyId)).toMatchObject({ state: 'active' })
})
