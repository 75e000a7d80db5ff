import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visibleBehaviours } from '../../infra/operations/smoke/visible-behaviours.ts'
import { isDeployed, type Reached, reach } from './environments.ts'
import { runNode } from './run.ts'

describe.skipIf(!isDeployed)('npm run smoke', () => {
  let staging: Reached
  beforeAll(async () => {
    staging = await reach('staging')
  })
  afterAll(() => staging[Symbol.asyncDispose]())

  const command = (only: string) => [
    ...['infra/operations/smoke/smoke.ts', '--env', 'staging', '--url', staging.baseUrl, '--only', only],
  ]

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
    expect(errors).toMatch(/Deleted the 1 pets/)
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
    const smoke = spawn(process.execPath, command('.'), { stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    smoke.stderr.on('data', (text) => {
      errors += text
    })
    // The suite has begun, and tells of its first tests.
    await once(smoke.stdout, 'data')
    smoke.kill(signal)
    const [code] = await once(smoke, 'exit')
    expect({ code, errors }).toMatchObject({ code: 1, errors: expect.stringMatching(/Revoked the key key_/) })
    expect(await leftBehind()).toEqual(before)
  })

  it.each([
    [['--env', 'stagin'], 'Did you mean staging?'],
    [[], 'The option --env <name> is required.'],
    [['--env', 'staging', '--url', 'nowhere'], '--url'],
    [['--env', 'staging', '--url', 'http://pets.example.com/v1'], 'https://'],
    [['--env', 'production'], 'add --confirm production'],
    [['--env', 'staging', '--bogus'], 'bogus'],
  ])('ends %j with a first line that says why, without a stack trace, and exit code 1', async (words, sentence) => {
    const { exitCode, errors } = await runNode(['infra/operations/smoke/smoke.ts', ...words])
    expect(exitCode).toBe(1)
    expect(errors.split('\n')[0]).toContain(sentence)
    expect(errors).not.toMatch(/^ {4}at /m)
  })
})
