import { createServer } from 'node:http'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findKey, requireReadable } from '../../../../../infra/commands/keys/find-key.ts'
import type { KeyOrder } from '../../../../../infra/commands/keys/key.ts'
import { createSmokeKeyOrder, findPetsOfRun, smokeKeySeconds } from '../../../../../infra/commands/smoke/run.ts'
import { createSmokeCommand, isReadOnly } from '../../../../../infra/commands/smoke/smoke-command.ts'
import { runSuite } from '../../../../../infra/commands/smoke/suite.ts'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { drawPetId } from '../../../../../shared/pets/pet-id.ts'
import { PetTable } from '../../../../../shared/pets/pet-table.ts'
import { readTargetChanges } from '../../../../fixtures/commands/audit.ts'
import { registerLocalEnvironment, runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../../fixtures/service/service.ts'
import { scenarios } from '../../../../requests/requests.ts'

/** Starts an API that allows preflights, and responds to every other request with a list without pets. */
const startEmptyApi = async (): Promise<string> => {
  const crossOriginHeaders = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key,*',
    'Access-Control-Allow-Methods': 'GET,POST',
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
    const result = await runSmoke({ passed: 0, failed: 0, skipped: 9 }, '--only', 'nothing-like-this')

    expect(result.errors).toMatch(/^No test has "nothing-like-this" in its name\.$/m)
    expect(result).toMatchObject({ output: '', exitCode: 1 })
  })

  it('npm run smoke tells the tests where the environment is, and --read-only that they add no pet', async () => {
    const counts = { passed: 1, failed: 0, skipped: 0 }
    const location = { PET_API_URL: 'http://127.0.0.1:9/v1', PET_API_DATA: environment.dataFolder }
    const words = ['--base-url', location.PET_API_URL]

    const { variables } = await runSmoke(counts, ...words)
    expect(variables).toMatchObject({ ...location, PET_API_READ_ONLY: undefined })

    const { variables: readOnlyVariables } = await runSmoke(counts, ...words, '--read-only')
    expect(readOnlyVariables).toMatchObject({ ...location, PET_API_READ_ONLY: '1' })
  })

  it('npm run smoke removes the pets that its tests have added, also if they cannot run to their end', async () => {
    const { client } = createClients(environment.engine)
    const { tables } = environment
    const addPetAndFail: RunTests = async ({ PET_API_KEY: apiKey = '' }) => {
      const key = await findKey({ name: 'local', database: client, tables }, apiKey)
      const pet = { id: drawPetId(Date.now()), name: 'Bella', categoryId: 1n, status: 'sold' } as const
      await new PetTable(client, tables.pets).put(pet, 'an attempt', {
        addedBy: requireReadable(key).keyId,
      })
      throw new Error('no vitest')
    }

    expect(await runCommandInProcess(createSmokeCommand(addPetAndFail), environment.options)).toMatchObject({
      exitCode: 1,
    })

    const { Items: items = [] } = await client.send(new ScanCommand({ TableName: tables.pets }))
    expect(items).toMatchObject([{ removed: 'by hand' }])
    const changes = await readTargetChanges({ database: client, tables }, `pet#${items[0]?.['id']}`)
    expect(changes).toMatchObject([{ action: 'pets remove', outcome: 'made', new: { removed: 'by hand' } }])
  })
})

it('npm run smoke only reads in production, whatever its options are', () => {
  expect(isReadOnly({ name: 'production' }, {})).toBe(true)
  expect(isReadOnly({ name: 'staging' }, {})).toBe(false)
  expect(isReadOnly({ name: 'staging' }, { readOnly: true })).toBe(true)
})

describeOnEachEngine('the pets of a run of the smoke test', (engine) => {
  let service: Service

  beforeEach(async () => {
    service = await openService(engine)
  })

  /** Issues a key, and adds a pet with it. @returns the id of the pet */
  const addPetWithKey = async (order: KeyOrder): Promise<bigint> => {
    const { record } = await service.keys.issue(order)
    const id = drawPetId(Date.now())
    await service.pets.put({ id, name: 'Bella', categoryId: 1n, status: 'sold' }, 'an attempt', {
      addedBy: record.keyId,
    })
    return id
  }

  it('the pets of a run are those that its own keys have added', async () => {
    const order = createSmokeKeyOrder('this run', 'pro', fixedPlans.pro)
    const first = await addPetWithKey(order)
    const second = await addPetWithKey(order)
    await addPetWithKey({ ...order, contact: 'another run' })
    await addPetWithKey({ ...order, owner: 'A shelter' })

    const found = await findPetsOfRun({ database: service.client, tables: service.tables }, 'this run')

    expect(new Set(found)).toEqual(new Set([first, second]))
  })
})

it('a key of a run ends in an hour', () => {
  const { expiresAt = 0 } = createSmokeKeyOrder('a run', 'pro', fixedPlans.pro)

  expect(smokeKeySeconds).toBe(3_600)
  expect(Math.abs(expiresAt - 3_600 - Date.now() / 1_000)).toBeLessThan(60)
})
