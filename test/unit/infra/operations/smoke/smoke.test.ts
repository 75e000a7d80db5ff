import { createServer } from 'node:http'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { openEnvironment } from '../../../../../infra/operations/environment/open-environment.ts'
import type { KeyOrder } from '../../../../../infra/operations/keys/key.ts'
import { createSmokeKeyOrder, findPetsOfRun, smokeKeySeconds } from '../../../../../infra/operations/smoke/run.ts'
import { isReadOnly } from '../../../../../infra/operations/smoke/smoke-tool.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { drawPetId } from '../../../../../shared/pets/pet-id.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { readTargetChanges } from '../../../../fixtures/audit.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openLocalEnvironment } from '../../../../fixtures/local-environment.ts'
import { runNode } from '../../../../fixtures/node-process.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

// test/deployed runs all tests of a smoke test.
describe('npm run smoke on a local environment', () => {
  let local: Awaited<ReturnType<typeof openLocalEnvironment>>

  beforeAll(async () => {
    local = await openLocalEnvironment()
  })

  afterAll(() => local.stop())

  /** Runs one test that reads, and one that adds a pet. */
  const runSmoke = (...options: readonly string[]) => {
    const only = 'the id 1 is 404|a pet without a status is available'
    const words = ['--env', 'local', '--data', local.dataFolder, '--json', '--only', only]
    return runNode(['infra/operations/smoke/smoke.ts', ...words, ...options])
  }

  it('npm run smoke --read-only runs no test that adds a pet', async () => {
    const { exitCode, output } = await runSmoke('--read-only')

    expect(JSON.parse(output)).toMatchObject({ passed: 1, failed: 0 })
    expect(exitCode).toBe(0)
  })

  it('npm run smoke removes the pets that it has added, as "pets remove" does', async () => {
    const { exitCode, output } = await runSmoke()

    expect(JSON.parse(output)).toMatchObject({ passed: 2, failed: 0 })
    expect(exitCode).toBe(0)
    using environment = await openEnvironment({ name: 'local', dataFolder: local.dataFolder })
    const { Items: items = [] } = await environment.database.send(
      new ScanCommand({ TableName: environment.tables.pets, FilterExpression: 'attribute_exists(addedBy)' }),
    )
    expect(items).toMatchObject([{ removed: true }])
    expect(await readTargetChanges(environment, `pet#${items[0]?.['id']}`)).toMatchObject([
      { action: 'pets remove', outcome: 'made', new: null },
    ])
  })
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
    const pets = new PetStore(service.client, service.tables.pets)
    await pets.put({ id, name: 'Bella', categoryId: 1n, status: 'sold' }, 'an attempt', { addedBy: record.keyId })
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
