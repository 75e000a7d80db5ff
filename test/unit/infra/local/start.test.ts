import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { requireLocalEnvironment } from '../../../../infra/commands/environment/local-environment.ts'
import { createKeysCommand } from '../../../../infra/commands/keys/keys-command.ts'
import { demoKeys, samplePets } from '../../../../infra/local/demo-data.ts'
import { startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { planNames } from '../../../../shared/api-keys/plans.ts'
import { runCommandInProcess, runScriptInProcess } from '../../../fixtures/commands/commands.ts'
import { sharedAssembly, startEnvironmentProcess } from '../../../fixtures/environment/local-environment.ts'
import { runNode } from '../../../fixtures/machine/node-process.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

/** Settings of AWS in the shell of a user, none of which fits a local environment. */
const awsSettings = {
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_PROFILE: 'no-such-profile',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
}

describe('a process of npm start', () => {
  const dataFolder = join(createTemporaryFolder(), 'data')
  /** One process for these tests, because its start takes seconds. The last test ends it. */
  let environment: Awaited<ReturnType<typeof startEnvironmentProcess>>

  beforeAll(async () => {
    environment = await startEnvironmentProcess({ dataFolder, variables: awsSettings })
  })
  afterAll(() => environment?.[Symbol.asyncDispose]())

  test('npm start prints the address of the API and the demo keys', () => {
    const output = environment.output()

    expect(output).toContain(environment.baseUrl)
    expect(demoKeys.map(({ plan }) => plan)).toEqual(planNames)
    for (const { apiKey } of demoKeys) expect(output).toContain(apiKey)
  })

  test('npm start adds sample pets, whatever settings of AWS the shell has', async () => {
    const headers = { Authorization: `Bearer ${demoKeys[0]?.apiKey}` }
    const response = await fetch(`${environment.baseUrl}/pets?limit=100`, { headers })

    expect(await response.json()).toHaveLength(samplePets.length)
  })

  test('a command on a local environment reads no setting of AWS in the shell', async () => {
    for (const [name, value] of Object.entries(awsSettings)) vi.stubEnv(name, value)

    const result = await runCommandInProcess(createKeysCommand(), ['list', '--env', 'local', '--data', dataFolder])

    expect(result).toMatchObject({ errors: '', exitCode: 0 })
  })

  test('npm start fails if an environment runs on the same data folder, which commands still find', async () => {
    const second = startLocalEnvironment({ port: 0, assembly: sharedAssembly, dataFolder })

    await expect(second).rejects.toThrow('Another process uses the database of the data folder.')

    expect(await requireLocalEnvironment(dataFolder)).toMatchObject({ baseUrl: environment.baseUrl })
  })

  test('npm run invoke runs a function of the repository with the tables of the environment, and reads no setting of AWS', async () => {
    const words = ['infra/local/invoke.ts', 'list-pets', 'test/events/list-pets.json', '--data', dataFolder]

    const { exitCode, output, errors } = await runNode(words, awsSettings)

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
    expect(JSON.parse(output)).toMatchObject({ statusCode: 200, body: expect.stringContaining('categoryId') })
  })

  test('npm run invoke names the lines of the repository where a function failed', async () => {
    const event = join(createTemporaryFolder(), 'event.json')
    writeFileSync(event, '{}')

    const { exitCode, errors } = await runNode(['infra/local/invoke.ts', 'authorizer', event, '--data', dataFolder])

    expect(exitCode).toBe(1)
    expect(errors).toMatch(/^The function failed:\nTypeError: Cannot read properties of undefined/)
    expect(errors).toMatch(/^ +at .*\(functions\/authorizer\/authorizer\.ts:\d+:\d+\)$/m)
  })

  test('npm start ends quietly at Ctrl-C', async () => {
    const { child, errors, ended } = environment

    // A terminal signals npm too, which passes its signal on: the process gets two.
    child.kill('SIGTERM')
    child.kill('SIGINT')

    expect(await ended).toBe(0)
    expect(errors()).toBe('')
    await expect(requireLocalEnvironment(dataFolder)).rejects.toThrow(
      /^No local environment runs on the data folder .*$/,
    )
  })
})

test.each([
  {
    mistake: 'a function that the API does not invoke',
    words: ['gateway-keys', 'test/events/list-pets.json'],
    message: /^The API has no operation gateway-keys\. It has .*get-pet, .*\n$/,
  },
  {
    mistake: 'a file that is no event',
    words: ['list-pets', 'nothing.json'],
    message: /^.*nothing\.json is not a readable JSON file\..*\n$/,
  },
])('npm run invoke refuses $mistake', async ({ words, message }) => {
  const { exitCode, errors } = await runScriptInProcess('infra/local/invoke.ts', words)

  expect(exitCode).toBe(1)
  expect(errors).toMatch(message)
})
