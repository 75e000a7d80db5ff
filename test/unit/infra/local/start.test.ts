import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { localStage } from '../../../../infra/environments.ts'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { createTables } from '../../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { deriveDemoKeys } from '../../../../infra/local/demo-keys.ts'
import { type LocalEnvironmentOptions, startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import {
  findLocalEnvironment,
  requireLocalEnvironment,
} from '../../../../infra/local/record/local-environment-record.ts'
import { readEnvironmentTemplate } from '../../../../infra/local/template/environment-template.ts'
import { connectToLocalDatabase } from '../../../../infra/operations/environment/local-database.ts'
import { createSeededPet } from '../../../../infra/operations/seed/seeded-pet.ts'
import { planNames } from '../../../../shared/api-keys/plans.ts'
import {
  openLocalKeys,
  sharedAssembly,
  spawnEnvironmentProcess,
  startEnvironmentProcess,
} from '../../../fixtures/local-environment.ts'
import { runNode } from '../../../fixtures/node-process.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

const demoKeys = deriveDemoKeys('pet_test_')
const freeKey = demoKeys.find(({ plan }) => plan === 'free')
const headers = { Authorization: `Bearer ${freeKey?.apiKey}`, 'Content-Type': 'application/json' }

/** The newest pet of a new environment. */
const newestSample = { name: createSeededPet(35).name }

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

/** Reads the limit that applies to the demo key of the plan free. */
const readLimit = async (baseUrl: string): Promise<string | null> => {
  const response = await fetch(`${baseUrl}/pets?limit=1`, { headers })
  return response.headers.get('X-RateLimit-Limit')
}

/** Settings of AWS in the shell of a user, none of which fits a local environment. */
const awsSettings = {
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_PROFILE: 'no-such-profile',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
}

describe('npm start', () => {
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

  test('npm start and commands on its environment read no setting of AWS in the shell', async () => {
    expect(await listPets(environment.baseUrl)).toMatchObject([newestSample])

    const words = ['infra/operations/keys/keys.ts', 'list', '--env', 'local', '--data', dataFolder]
    expect(await runNode(words, awsSettings)).toMatchObject({ errors: '', exitCode: 0 })
  })

  test('npm start says that -- is missing before an option that npm has taken', async () => {
    const { exitCode, errors } = await runNode(['infra/local/start.ts'], { npm_config_watch: 'true' })

    expect(exitCode).toBe(2)
    expect(errors).toBe('npm has taken --watch for an option of its own. Write -- before it: npm start -- --watch\n')
  })

  test('npm start says that -- is missing before an option whose value npm has passed on', async () => {
    const { exitCode, errors } = await runNode(['infra/local/start.ts', '4310'], { npm_config_port: 'true' })

    expect(exitCode).toBe(2)
    expect(errors).toBe('npm has taken --port for an option of its own. Write -- before it: npm start -- --port 4310\n')
  })

  test('npm start refuses an argument that is no option', async () => {
    const { exitCode, errors } = await runNode(['infra/local/start.ts', '4310'])

    expect(exitCode).toBe(2)
    expect(errors).toBe('npm start takes options alone, and no "4310".\n')
  })

  test('npm start adds sample pets', async () => {
    expect(await listPets(environment.baseUrl, 100)).toHaveLength(36)
  })

  test('npm start fails if an environment runs on the same data folder, which commands still find', async () => {
    const second = spawnEnvironmentProcess({ dataFolder })

    expect(await second.ended).toBe(1)
    expect(second.output()).toBe('')
    expect(second.errors()).toMatch(/^Another process uses the database of the data folder\.[^\n]*\n$/)
    expect(await requireLocalEnvironment(dataFolder)).toMatchObject({ baseUrl: environment.baseUrl })
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

describe('An environment', () => {
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

  test('An environment uses the DynamoDB that is named', async () => {
    const dynamodb = inject('engines').at(-1)?.endpoint ?? ''

    const { baseUrl, databaseEndpoint } = await start(createDataFolder(), { dynamodb, fresh: true })

    expect(databaseEndpoint).toBe(dynamodb)
    expect(await listPets(baseUrl)).toMatchObject([newestSample])
  })

  test('An environment that starts fresh deletes the tables in the DynamoDB that is named', async () => {
    const dynamodb = inject('engines').at(-1)?.endpoint ?? ''
    const first = await start(createDataFolder(), { dynamodb, fresh: true })
    expect(await addPet(first.baseUrl, 'Only here')).toBe(201)
    await first.stop()

    const next = await start(createDataFolder(), { dynamodb, fresh: true })

    expect(await listPets(next.baseUrl)).toMatchObject([newestSample])
  })

  test('An environment fails if no DynamoDB responds at the named endpoint', async () => {
    const dynamodb = 'http://127.0.0.1:1'

    await expect(start(createDataFolder(), { dynamodb })).rejects.toThrow(`No DynamoDB responds at ${dynamodb}.`)
  })

  test('An environment adds its samples if its first start was killed before it added them', async () => {
    const dataFolder = createDataFolder()
    openDataFolder(dataFolder)
    const database = await startDynalite({ folder: dataFolder })
    const client = connectToLocalDatabase(database.endpoint)
    await createTables(client, inject('tables'))
    client.destroy()
    await database.close()

    const { baseUrl } = await start(dataFolder)

    expect(await listPets(baseUrl)).toMatchObject([newestSample])
  })

  test('An environment is not found before it responds', async () => {
    const dataFolder = createDataFolder()

    openDataFolder(dataFolder)

    expect(await findLocalEnvironment(dataFolder)).toBeUndefined()
  })

  test('An environment shares no data with another one', async () => {
    const [one, other] = await Promise.all([start(createDataFolder()), start(createDataFolder())])

    expect(await addPet(one.baseUrl, 'Only here')).toBe(201)

    expect(await listPets(one.baseUrl)).toMatchObject([{ name: 'Only here' }])
    expect(await listPets(other.baseUrl)).toMatchObject([newestSample])
  })

  test('An environment that watches its sources serves what it has built of them', async () => {
    const changedAssembly = join(createTemporaryFolder(), 'assembly')
    cpSync(sharedAssembly, changedAssembly, { recursive: true })
    const { functions } = readEnvironmentTemplate(changedAssembly, localStage)
    const bundle = join(functions.get('list-pets')?.folder ?? '', 'index.js')
    writeFileSync(bundle, 'exports.handler = async () => ({ statusCode: 218, body: "changed" })')
    let assembly = sharedAssembly
    const { baseUrl } = await start(createDataFolder(), {
      watch: true,
      sources: {
        readFingerprint: () => assembly,
        generate: async () => {},
        synthesize: async () => assembly,
        buildSite: async () => [],
      },
      writeLine: () => {},
    })
    const readStatus = async (): Promise<number> => {
      const response = await fetch(`${baseUrl}/pets`, { headers })
      return response.status
    }
    expect(await readStatus()).toBe(200)

    assembly = changedAssembly

    await expect.poll(readStatus, { timeout: 60_000 }).toBe(218)
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

  /** Sources whose API reference cannot be built. */
  const brokenReference = {
    readFingerprint: () => sharedAssembly,
    generate: async () => {},
    synthesize: async () => sharedAssembly,
    buildSite: async () => {
      throw new Error('The contract lacks a text.')
    },
  }

  test('An environment serves the API while its reference cannot be built', async () => {
    const { baseUrl } = await start(createDataFolder(), { sources: brokenReference, writeLine: () => {} })

    expect(await listPets(baseUrl)).toMatchObject([newestSample])
  })

  test('An environment says why its reference cannot be built, at the first request of the page', async () => {
    const lines: string[] = []
    const { referenceUrl } = await start(createDataFolder(), {
      sources: brokenReference,
      writeLine: (line) => lines.push(line),
    })

    const response = await fetch(referenceUrl)

    expect(response.status).toBe(500)
    expect(lines).toEqual([
      expect.stringMatching(/^\[gateway\] The API reference cannot be built:\nError: The contract lacks a text\.\n/),
    ])
  })

  test('An environment that watches its sources says that a changed reference cannot be built', async () => {
    let fingerprint = sharedAssembly
    const lines: string[] = []
    await start(createDataFolder(), {
      watch: true,
      sources: { ...brokenReference, readFingerprint: () => fingerprint },
      writeLine: (line) => lines.push(line),
    })

    fingerprint = 'changed'

    await expect.poll(() => lines.join('\n')).toContain('The sources from before the change are still in use.')
    expect(lines.join('\n')).toContain('[watch] The API reference cannot be built:')
  })

  describe('that has ended', () => {
    const dataFolder = createDataFolder()
    let ended: Awaited<ReturnType<typeof startLocalEnvironment>>

    beforeAll(async () => {
      ended = await startLocalEnvironment({ port: 0, assembly: sharedAssembly, dataFolder })
      await addPet(ended.baseUrl, 'Only here')
      const keys = await openLocalKeys(dataFolder)
      await keys.revoke(freeKey?.apiKey ?? '')
      await ended.stop()
    })

    test('An environment that has ended accepts no connections', async () => {
      await expect(fetch(ended.baseUrl)).rejects.toThrow('fetch failed')
      await expect(fetch(ended.databaseEndpoint)).rejects.toThrow('fetch failed')
    })

    test('An environment that has ended keeps its data for the next start, which writes the demo keys anew', async () => {
      const next = await start(dataFolder)

      expect(await listPets(next.baseUrl)).toMatchObject([{ name: 'Only here' }])
      expect(await readLimit(next.baseUrl)).toBe('60')
    })

    test('An environment that has ended loses its data at a fresh start', async () => {
      const next = await start(dataFolder, { fresh: true })

      expect(await listPets(next.baseUrl)).toMatchObject([newestSample])
    })
  })
})

describe('npm run invoke', () => {
  const invoke = async (...words: readonly string[]) => {
    const { exitCode, output, errors } = await runNode(['infra/local/invoke.ts', ...words])
    return { exitCode, printed: output + errors }
  }

  const dataFolder = createDataFolder()
  let environment: Awaited<ReturnType<typeof startLocalEnvironment>>

  beforeAll(async () => {
    environment = await startLocalEnvironment({ port: 0, assembly: sharedAssembly, dataFolder })
  })
  afterAll(() => environment?.stop())

  test('npm run invoke prints the response to a recorded event', async () => {
    const { exitCode, printed } = await invoke('get-pet', 'test/events/get-pet.json', '--data', dataFolder)

    expect(exitCode).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ statusCode: 200, body: expect.stringContaining('categoryId') })
  })

  test('npm run invoke prints where in the sources a function failed', async () => {
    const event = join(createTemporaryFolder(), 'event.json')
    writeFileSync(event, '{}')

    const { exitCode, printed } = await invoke('authorizer', event, '--data', dataFolder)

    expect(exitCode).toBe(1)
    expect(printed).toMatch(/^ +at .*\(functions\/authorizer\/authorizer\.ts:\d+:\d+\)$/m)
    expect(printed).toMatch(/^The function failed: Cannot read properties of undefined/m)
  })

  test('npm run invoke says which operations the API has if it is given another', async () => {
    // gateway-keys is a function, but the API does not invoke it.
    const { exitCode, printed } = await invoke('gateway-keys', 'test/events/list-pets.json')

    expect(exitCode).toBe(1)
    expect(printed).toMatch(/^The API has no operation gateway-keys\. It has .*get-pet, .*\n$/)
  })

  test('npm run invoke says that a file is no event', async () => {
    const { exitCode, printed } = await invoke('list-pets', 'nothing.json')

    expect(exitCode).toBe(1)
    expect(printed).toMatch(/^.*nothing\.json is not a readable JSON file\..*\n$/)
  })
})
