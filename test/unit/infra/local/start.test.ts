import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { requireLocalEnvironment } from '../../../../infra/commands/environment/local-environment.ts'
import { createKeysCommand } from '../../../../infra/commands/keys/keys-command.ts'
import { localStage } from '../../../../infra/environments.ts'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { deriveDemoKeys } from '../../../../infra/local/demo-keys.ts'
import { type LocalEnvironmentOptions, startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { createSamplePet } from '../../../../infra/local/sample-pet.ts'
import { planNames } from '../../../../shared/api-keys/plans.ts'
import { runCommandInProcess, runScriptInProcess } from '../../../fixtures/commands/commands.ts'
import {
  openLocalKeys,
  sharedAssembly,
  startEnvironmentProcess,
} from '../../../fixtures/environment/local-environment.ts'
import { runNode } from '../../../fixtures/machine/node-process.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

const demoKeys = deriveDemoKeys('pet_test_')
const freeKey = demoKeys.find(({ plan }) => plan === 'free')
const headers = { Authorization: `Bearer ${freeKey?.apiKey}`, 'Content-Type': 'application/json' }

/** The newest pet of a new environment. */
const newestSample = { name: createSamplePet(35).name }

const createDataFolder = (): string => join(createTemporaryFolder(), 'data')

/** Starts an environment in this process, until the test is finished. */
const start = async (dataFolder: string, options: Partial<LocalEnvironmentOptions> = {}) => {
  const environment = await startLocalEnvironment({ port: 0, assembly: sharedAssembly, dataFolder, ...options })
  onTestFinished(environment.stop)
  return environment
}

/** Lists pets with the demo key of the plan free. */
const listPets = async (baseUrl: string, limit = 1): Promise<unknown> => {
  const response = await fetch(`${baseUrl}/pets?limit=${limit}`, { headers })
  return JSON.parse(await response.text())
}

const addPet = async (baseUrl: string, name: string): Promise<number> => {
  const body = JSON.stringify({ name, categoryId: 1 })
  const response = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body })
  return response.status
}

/** Settings of AWS in the shell of a user, none of which fits a local environment. */
const awsSettings = {
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_PROFILE: 'no-such-profile',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
}

describe('A process of npm start', () => {
  const dataFolder = createDataFolder()
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
    expect(await listPets(environment.baseUrl, 100)).toHaveLength(36)
  })

  test('a command on a local environment reads no setting of AWS in the shell', async () => {
    for (const [name, value] of Object.entries(awsSettings)) vi.stubEnv(name, value)

    const result = await runCommandInProcess(createKeysCommand(), ['list', '--env', 'local', '--data', dataFolder])

    expect(result).toMatchObject({ errors: '', exitCode: 0 })
  })

  test('npm start fails if an environment runs on the same data folder, which commands still find', async () => {
    await expect(start(dataFolder)).rejects.toThrow('Another process uses the database of the data folder.')

    expect(await requireLocalEnvironment(dataFolder)).toMatchObject({ baseUrl: environment.baseUrl })
  })

  test('npm run invoke runs a function of the sources with the tables of the environment, and reads no setting of AWS', async () => {
    const words = ['infra/local/invoke.ts', 'list-pets', 'test/events/list-pets.json', '--data', dataFolder]

    const { exitCode, output, errors } = await runNode(words, awsSettings)

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
    expect(JSON.parse(output)).toMatchObject({ statusCode: 200, body: expect.stringContaining('categoryId') })
  })

  test('npm run invoke names the lines of the sources where a function failed', async () => {
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

test('An environment whose port is taken fails before it creates its data folder', async () => {
  const dataFolder = createDataFolder()
  const server = createServer()
  const port = await listen(server, 0)
  onTestFinished(() => {
    server.close()
  })

  await expect(start(dataFolder, { port })).rejects.toThrow(`Port ${port} is taken.`)

  expect(existsSync(dataFolder)).toBe(false)
})

test('An environment that has ended accepts no connection, and leaves its data to the next, whose demo keys work', async () => {
  const dataFolder = createDataFolder()
  const ended = await start(dataFolder)
  expect(await addPet(ended.baseUrl, 'Only here')).toBe(201)
  const keys = await openLocalKeys(dataFolder)
  expect(await keys.revoke(freeKey?.apiKey ?? '')).toBeDefined()

  await ended.stop()

  await expect(fetch(ended.baseUrl)).rejects.toThrow('fetch failed')
  await expect(fetch(ended.databaseEndpoint)).rejects.toThrow('fetch failed')
  const next = await start(dataFolder)
  expect(await listPets(next.baseUrl)).toMatchObject([{ name: 'Only here' }])
})

test('An environment that starts fresh replaces the database of its data folder', async () => {
  const dataFolder = createDataFolder()
  openDataFolder(dataFolder)
  writeFileSync(join(dataFolder, 'dynamodb.sqlite'), 'no database')

  await expect(start(dataFolder, { fresh: true })).resolves.toBeDefined()
})

test('An environment adds its tables and samples to the DynamoDB that is named', async () => {
  const { endpoint: dynamodb, close } = await startDynalite()
  onTestFinished(close)

  const { baseUrl, databaseEndpoint } = await start(createDataFolder(), { dynamodb })

  expect(databaseEndpoint).toBe(dynamodb)
  expect(await listPets(baseUrl)).toMatchObject([newestSample])
})

test('An environment fails if no DynamoDB responds at the named endpoint', async () => {
  const dynamodb = 'http://127.0.0.1:1'

  await expect(start(createDataFolder(), { dynamodb })).rejects.toThrow(`No DynamoDB responds at ${dynamodb}.`)
})

test('An environment whose watched sources rename a table has samples and demo keys in it, and commands find it', async () => {
  const renamedAssembly = join(createTemporaryFolder(), 'assembly')
  cpSync(sharedAssembly, renamedAssembly, { recursive: true })
  const stage = join(renamedAssembly, `assembly-${localStage}`)
  for (const file of readdirSync(stage).filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(join(stage, file), 'utf8')
    writeFileSync(join(stage, file), text.replaceAll('pet-adoption-staging-data', 'pet-adoption-renamed-data'))
  }
  const dataFolder = createDataFolder()
  let assembly = sharedAssembly
  const { baseUrl } = await start(dataFolder, {
    watch: true,
    sources: {
      readFingerprint: () => assembly,
      generate: async () => {},
      synthesize: async () => assembly,
      buildSite: async () => [],
    },
    writeLine: () => {},
  })
  expect(await addPet(baseUrl, 'Before')).toBe(201)

  assembly = renamedAssembly

  const readTables = async () => (await requireLocalEnvironment(dataFolder)).tables
  await expect.poll(readTables).toMatchObject({ pets: expect.stringContaining('renamed') })
  expect(await listPets(baseUrl)).toMatchObject([newestSample])
  const keys = await openLocalKeys(dataFolder)
  expect(await keys.revoke(freeKey?.apiKey ?? '')).toBeDefined()
  expect(await addPet(baseUrl, 'After')).toBe(401)
})

test('An environment serves the API while its reference cannot be built, and says why at a request and a change', async () => {
  let fingerprint = sharedAssembly
  const lines: string[] = []
  const { baseUrl, referenceUrl } = await start(createDataFolder(), {
    watch: true,
    sources: {
      readFingerprint: () => fingerprint,
      generate: async () => {},
      synthesize: async () => sharedAssembly,
      buildSite: async () => {
        throw new Error('The contract lacks a text.')
      },
    },
    writeLine: (line) => lines.push(line),
  })

  const page = await fetch(referenceUrl)

  expect(page.status).toBe(500)
  expect(lines.splice(0)).toEqual([
    expect.stringMatching(/^\[gateway\] The API reference cannot be built:\nError: The contract lacks a text\.\n/),
  ])
  expect(await listPets(baseUrl)).toMatchObject([newestSample])

  fingerprint = 'changed'

  await expect.poll(() => lines.join('\n')).toContain('The sources from before the change are still in use.')
  expect(lines.join('\n')).toContain('[watch] The API reference cannot be built:')
})
