import { createServer } from 'node:http'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { readChanges } from '../../../../../infra/commands/audit/read-changes.ts'
import { createSmokeCommand, isReadOnly, runSuite } from '../../../../../infra/commands/smoke/smoke-command.ts'
import { createSmokeKeyOrder } from '../../../../../infra/commands/smoke/smoke-keys.ts'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createApiCallers } from '../../../../fixtures/commands/callers.ts'
import { runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { createKeyOperator } from '../../../../fixtures/commands/key-operator.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands/registered-environment.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'
import { scenarios } from '../../../../requests/requests.ts'

/** Starts an API that allows preflights, and responds to every other request with a list without pets. */
const startEmptyApi = async (): Promise<string> => {
  const crossOriginHeaders = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key,*',
    'Access-Control-Allow-Methods': 'GET,POST,OPTIONS',
  }
  const server = createServer((request, response) => {
    if (request.method === 'OPTIONS') response.writeHead(204, crossOriginHeaders).end()
    else response.end('[]')
  })
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${await listen(server, 0)}`
}

// test/deployed runs all tests of a smoke test.
it('a run of the suite counts the tests that pass and fail, and runs none that adds a pet if it may only read', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const variables = { PET_API_URL: await startEmptyApi(), PET_API_KEY: 'a key', PET_API_READ_ONLY: '1' }
  const passing = 'a preflight of /pets is allowed without a key'
  // The empty API responds 200.
  const failing = 'the id 1 is 404'
  const adding = 'a pet without a status is available'

  expect(scenarios.map(({ title }) => title)).toEqual(expect.arrayContaining([passing, failing, adding]))

  const counts = await runSuite(variables, [passing, failing, adding].join('|'))

  expect(counts).toMatchObject({ passed: 1, failed: 1 })
})

describe('npm run smoke', () => {
  type RunTests = typeof runSuite

  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
  })

  /** Runs the command with a suite that ends with these numbers of tests. */
  const runSmoke = async (counts: Awaited<ReturnType<RunTests>>, ...words: readonly string[]) => {
    const runTests = vi.fn<RunTests>(async () => counts)
    const ended = await runCommandInProcess(createSmokeCommand(runTests), [...environment.options, ...words])
    return { ...ended, variables: runTests.mock.calls[0]?.[0] }
  }

  it.each([
    { failed: 0, exitCode: 0 },
    { failed: 1, exitCode: 1 },
  ])('npm run smoke with $failed failed tests ends with $exitCode', async ({ failed, exitCode }) => {
    const result = await runSmoke({ passed: 3, failed, skipped: 2 }, '--json')

    expect(JSON.parse(result.output)).toMatchObject({ passed: 3, failed, skipped: 2 })
    expect(result.exitCode).toBe(exitCode)
  })

  it('npm run smoke fails if no test has the name', async () => {
    const result = await runSmoke({ passed: 0, failed: 0, skipped: 9 }, '--match', 'nothing-like-this')

    expect(result.errors).toMatch(/^No test has "nothing-like-this" in its name\.$/m)
    expect(result).toMatchObject({ output: '', exitCode: 1 })
  })

  it('npm run smoke tells the tests where the environment is, and --read-only that they add no pet', async () => {
    const counts = { passed: 1, failed: 0, skipped: 0 }
    // No test runs, so nothing is sent to this address.
    const location = { PET_API_URL: 'http://127.0.0.1:9/v1', PET_API_DATA: environment.dataFolder }
    const words = ['--base-url', location.PET_API_URL]

    const { variables } = await runSmoke(counts, ...words)
    expect(variables).toMatchObject({ ...location, PET_API_READ_ONLY: undefined })

    const { variables: readOnlyVariables } = await runSmoke(counts, ...words, '--read-only')
    expect(readOnlyVariables).toMatchObject({ ...location, PET_API_READ_ONLY: '1' })
  })

  it('npm run smoke removes the pets that keys of its run have added, and no others, also if its tests fail', async () => {
    const { client } = createClients(environment.engine)
    const { tables } = environment
    const keys = createKeyOperator({ name: 'local', database: client, tables })
    const callers = createApiCallers(client, tables.pets)
    const bella = { name: 'Bella', categoryId: 1n, status: 'sold' } as const
    const addPetsAndFail: RunTests = async ({ PET_API_KEY: apiKey = '', PET_API_RUN: runId = '' }) => {
      const suiteKey = await keys.show(apiKey)
      const order = createSmokeKeyOrder(runId, 'pro', fixedPlans.pro)
      // Two keys belong to the run: that of the suite, and one that a test issues. The other two do not.
      const testKey = await keys.issue(order)
      const otherRunKey = await keys.issue({ ...order, contact: 'another run' })
      const shelterKey = await keys.issue({ ...order, owner: 'A shelter' })
      await callers.addPet({ ...bella, id: 5n }, suiteKey.keyId)
      await callers.addPet({ ...bella, id: 6n }, testKey.record.keyId)
      await callers.addPet({ ...bella, id: 7n }, otherRunKey.record.keyId)
      await callers.addPet({ ...bella, id: 8n }, shelterKey.record.keyId)
      throw new Error('no vitest')
    }

    const { exitCode } = await runCommandInProcess(createSmokeCommand(addPetsAndFail), environment.options)

    expect(exitCode).toBe(1)
    expect(await callers.listPets()).toMatchObject([{ id: 7n }, { id: 8n }])
    const sinceTheBeginning = '0'
    const access = { database: client, tables }
    const pages = await Array.fromAsync(readChanges(access, { target: 'pet#5' }, sinceTheBeginning))
    expect(pages.flat()).toMatchObject([{ action: 'pets remove', outcome: 'made' }])
  })
})

it('npm run smoke only reads in production, whatever its options are', () => {
  expect(isReadOnly({ name: 'production' }, {})).toBe(true)
  expect(isReadOnly({ name: 'staging' }, {})).toBe(false)
  expect(isReadOnly({ name: 'staging' }, { readOnly: true })).toBe(true)
})

it('a key of a run ends in an hour', () => {
  const { expiresAt = 0 } = createSmokeKeyOrder('a run', 'pro', fixedPlans.pro)

  expect(Math.abs(expiresAt - 3_600 - Date.now() / 1_000)).toBeLessThan(60)
})
