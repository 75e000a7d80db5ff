import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { requireLocalEnvironment } from '../../../../infra/commands/environment/local-environment.ts'
import { localStage } from '../../../../infra/environments.ts'
import { openDataFolder } from '../../../../infra/local/data-folder.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { demoKeys, samplePets } from '../../../../infra/local/demo-data.ts'
import { type LocalEnvironmentOptions, startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { openLocalKeys, sharedAssembly } from '../../../fixtures/environment/local-environment.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

const freeKey = demoKeys.find(({ plan }) => plan === 'free')
const headers = { Authorization: `Bearer ${freeKey?.apiKey}`, 'Content-Type': 'application/json' }

/** The newest pet of a new environment. */
const newestSample = { name: samplePets.at(-1)?.name }

const createDataFolder = (): string => join(createTemporaryFolder(), 'data')

/** Starts an environment in this process, until the test is finished. */
const start = async (dataFolder: string, options: Partial<LocalEnvironmentOptions> = {}) => {
  const environment = await startLocalEnvironment({ port: 0, assembly: sharedAssembly, dataFolder, ...options })
  onTestFinished(environment.stop)
  return environment
}

/** Code that an environment watches, with nothing to generate. A test replaces the functions that it is about. */
const watchedCode = {
  generate: async () => {},
  synthesize: async () => sharedAssembly,
  buildSite: async () => [],
}

/** Lists the newest pet, with the demo key of the plan Free. */
const listNewest = async (baseUrl: string): Promise<unknown> => {
  const response = await fetch(`${baseUrl}/pets?limit=1`, { headers })
  return JSON.parse(await response.text())
}

const addPet = async (baseUrl: string, name: string): Promise<number> => {
  const body = JSON.stringify({ name, categoryId: 1 })
  const response = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body })
  return response.status
}

test('an environment whose port is taken fails before it creates its data folder', async () => {
  const dataFolder = createDataFolder()
  const server = createServer()
  const port = await listen(server, 0)
  onTestFinished(() => {
    server.close()
  })

  await expect(start(dataFolder, { port })).rejects.toThrow(`Port ${port} is taken.`)

  expect(existsSync(dataFolder)).toBe(false)
})

test('an environment that has ended accepts no connection, and leaves its data to the next, whose demo keys work', async () => {
  const dataFolder = createDataFolder()
  const ended = await start(dataFolder)
  expect(await addPet(ended.baseUrl, 'Only here')).toBe(201)
  // The next environment must make this key work again.
  const keys = await openLocalKeys(dataFolder)
  expect(await keys.revoke(freeKey?.apiKey ?? '')).toBeDefined()

  await ended.stop()

  await expect(fetch(ended.baseUrl)).rejects.toThrow('fetch failed')
  await expect(fetch(ended.databaseEndpoint)).rejects.toThrow('fetch failed')
  const next = await start(dataFolder)
  expect(await listNewest(next.baseUrl)).toMatchObject([{ name: 'Only here' }])
})

test('an environment that starts fresh replaces the database of its data folder', async () => {
  const dataFolder = createDataFolder()
  // Marks the folder as a data folder: an environment refuses a folder with other contents.
  openDataFolder(dataFolder)
  writeFileSync(join(dataFolder, 'dynamodb.sqlite'), 'no database')

  await expect(start(dataFolder, { fresh: true })).resolves.toBeDefined()
})

test('an environment adds its tables and samples to the DynamoDB that is named', async () => {
  const { endpoint: dynamodb, close } = await startDynalite()
  onTestFinished(close)

  const { baseUrl, databaseEndpoint } = await start(createDataFolder(), { dynamodb })

  expect(databaseEndpoint).toBe(dynamodb)
  expect(await listNewest(baseUrl)).toMatchObject([newestSample])
})

test('an environment fails if no DynamoDB responds at the named endpoint', async () => {
  // Nothing listens on port 1.
  const dynamodb = 'http://127.0.0.1:1'

  await expect(start(createDataFolder(), { dynamodb })).rejects.toThrow(`No DynamoDB responds at ${dynamodb}.`)
})

test('a change of the watched code that renames a table fills the new one, and commands find it', async () => {
  const renamedAssembly = join(createTemporaryFolder(), 'assembly')
  cpSync(sharedAssembly, renamedAssembly, { recursive: true })
  const stage = join(renamedAssembly, `assembly-${localStage}`)
  for (const file of readdirSync(stage).filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(join(stage, file), 'utf8')
    writeFileSync(join(stage, file), text.replaceAll(`pet-adoption-${localStage}-data`, 'pet-adoption-renamed-data'))
  }
  const dataFolder = createDataFolder()
  let assembly = sharedAssembly
  const { baseUrl } = await start(dataFolder, {
    watch: true,
    code: { ...watchedCode, readFingerprint: () => assembly, synthesize: async () => assembly },
    writeLine: () => {},
  })
  expect(await addPet(baseUrl, 'Before')).toBe(201)

  assembly = renamedAssembly

  const readTables = async () => (await requireLocalEnvironment(dataFolder)).tables
  await expect.poll(readTables).toMatchObject({ pets: expect.stringContaining('renamed') })
  expect(await listNewest(baseUrl)).toMatchObject([newestSample])
  const keys = await openLocalKeys(dataFolder)
  // The API refuses the key that a command has revoked, so both use the new table of keys.
  expect(await keys.revoke(freeKey?.apiKey ?? '')).toBeDefined()
  expect(await addPet(baseUrl, 'After')).toBe(401)
})

test('an environment serves the API while its reference cannot be built, and says why at a request and a change', async () => {
  let fingerprint = sharedAssembly
  const lines: string[] = []
  const { baseUrl, referenceUrl } = await start(createDataFolder(), {
    watch: true,
    code: {
      ...watchedCode,
      readFingerprint: () => fingerprint,
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
  expect(await listNewest(baseUrl)).toMatchObject([newestSample])

  fingerprint = 'changed'

  await expect.poll(() => lines.join('\n')).toContain('The code from before the change is still in use.')
  expect(lines.join('\n')).toContain('[watch] The API reference cannot be built:')
})
