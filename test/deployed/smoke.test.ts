import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visibleBehaviours } from '../../infra/operations/smoke/visible-behaviours.ts'
import { startNode } from '../fixtures/node-process.ts'
import { runNode } from './emulator/run.ts'
import { isDeployed, type Reached, reach } from './environments.ts'

describe.skipIf(!isDeployed)('npm run smoke', () => {
  let staging: Reached
  beforeAll(async () => {
    staging = await reach('staging')
  })
  afterAll(() => staging[Symbol.asyncDispose]())

  const command = (only: string) => [
    ...['infra/operations/smoke/smoke.ts', '--env', 'staging', '--url', staging.baseUrl, '--only', only],
  ]

  /** Sends the signal when the suite tells of its first tests. */
  const killOnceBegun = async (signal: NodeJS.Signals) => {
    const smoke = startNode(command('.'))
    await expect.poll(smoke.output).not.toBe('')
    smoke.child.kill(signal)
    return smoke
  }

  /** The keys of smoke tests that still work, and all pets. */
  const leftBehind = async () => {
    const keys = await staging.administration.list()
    const { Count } = await staging.database.send(
      new ScanCommand({ TableName: staging.environment.tables.pets, Select: 'COUNT' }),
    )
    return { keys: keys.filter(({ owner, state }) => owner === 'smoke test' && state === 'active').length, pets: Count }
  }

  it('passes where the tests do, reports what came, and leaves neither key nor pet behind', async () => {
    const before = await leftBehind()
    const { exitCode, output, errors } = await runNode([
      ...command('assigns an id that every JSON client reads'),
      '--json',
    ])
    expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0, errors: expect.stringMatching(/1 passed/) })
    const report: unknown = JSON.parse(output)
    const findings = visibleBehaviours.map(({ behaviour }) => ({ behaviour, isAsExpected: true }))
    expect(report).toMatchObject({ environment: 'staging', suitePassed: true, findings })
    expect(errors).toMatch(/Revoked the key key_\w+, and removed 0 pets/)
    expect(await leftBehind()).toEqual(before)
  })

  it('fails where a test does, and revokes the key all the same', async () => {
    const before = await leftBehind()
    const { exitCode, output, errors } = await runNode(command('pets//1'))
    expect(exitCode).toBe(1)
    expect(output).toMatch(/\d+ of \d+ as expected\n(ok {4}.*\n {6}expected status: .*\n {6}came {5}status: .*\n)+$/)
    expect(errors).toMatch(/Revoked the key key_/)
    expect(await leftBehind()).toEqual(before)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('revokes the key when %s ends it', async (signal) => {
    const before = await leftBehind()
    const { ended, errors } = await killOnceBegun(signal)
    expect(await ended).toBe(1)
    expect(errors()).toMatch(/Revoked the key key_/)
    expect(await leftBehind()).toEqual(before)
  })

  it('removes what a run left that was killed, and nothing else, with --clean or before the next run', async () => {
    const before = await leftBehind()
    const allowance = { perMinute: 100, perDay: 1_000 }
    const { apiKey } = await staging.administration.issue({ owner: 'smoke test', plan: 'enterprise', allowance })
    const { apiKey: other } = await staging.administration.issue({ owner: 'x', plan: 'enterprise', allowance })
    for (const key of [apiKey, apiKey, other]) await staging.addPet(key)
    const { exitCode, errors } = await runNode(['infra/operations/smoke/smoke.ts', '--env', 'staging', '--clean'])
    expect({ exitCode, errors }).toMatchObject({ exitCode: 0, errors: expect.stringMatching(/removed 2 pets/) })
    expect(await leftBehind()).toEqual({ ...before, pets: (before.pets ?? 0) + 1 })
  })

  it('is cleaned up after by the next run, where kill -9 ended it, which with --read-only adds no pet', async () => {
    const before = await leftBehind()
    await (await killOnceBegun('SIGKILL')).ended
    expect((await leftBehind()).keys).toBe(before.keys + 1)
    const words = ['--env', 'staging', '--url', staging.baseUrl, '--read-only', '--json']
    const { exitCode, output, errors } = await runNode(['infra/operations/smoke/smoke.ts', ...words])
    expect({ exitCode, errors }).toMatchObject({ exitCode: 0, errors: expect.not.stringContaining('passed') })
    expect(JSON.parse(output)).not.toHaveProperty('suitePassed')
    await expect.poll(leftBehind, { timeout: 60_000 }).toEqual(before)
  })

  it('adds no pet to production without a confirmation', async () => {
    const { exitCode, errors } = await runNode(['infra/operations/smoke/smoke.ts', '--env', 'production'])
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('add --confirm production')])
  })
})
