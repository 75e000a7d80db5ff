import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { describeError } from '../../../../../infra/command-line/run-command.ts'
import { timeLimits } from '../../../../../infra/commands/environment/aws-client-settings.ts'
import { connectCommandToLocalDatabase } from '../../../../../infra/commands/environment/local-database.ts'
import {
  findLocalEnvironment,
  writeDataFolderRecord,
} from '../../../../../infra/commands/environment/local-environment.ts'
import { openEnvironment } from '../../../../../infra/commands/environment/open-environment.ts'
import { createKeysCommand } from '../../../../../infra/commands/keys/keys-command.ts'
import { environments } from '../../../../../infra/environments.ts'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

const stagingRegion = environments.staging.region ?? 'eu-west-1'

/** Stacks in the account, with their outputs. Production is not deployed. */
const stacks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pet-adoption-staging-data': {
    PetsTableName: 'the pets table',
    ApiKeysTableName: 'the API keys table',
    IdempotencyTableName: 'the idempotency table',
    AuditTableName: 'the audit table',
    ListingsTableName: 'the listings table',
  },
  'pet-adoption-staging-api': { BaseUrl: 'https://staging.example/v1/' },
}

/** Formats the response of CloudFormation that describes a stack with these outputs. */
const formatStack = (outputs: Readonly<Record<string, string>>): string => {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const stackId = `<StackId>arn:aws:cloudformation:${stagingRegion}:111122223333:stack/a/b</StackId>`
  const stack = `<member>${stackId}<Outputs>${members.join('')}</Outputs></member>`
  return `<R><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></R>`
}

const formatMissingStack = (name: string): string =>
  `<R><Error><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></R>`

/** Starts a CloudFormation endpoint of an account that has the stacks in one Region. */
const startCloudFormation = async (): Promise<string> => {
  const server = createServer(async (request, response) => {
    const name = new URLSearchParams(await text(request)).get('StackName') ?? ''
    // The signature of a request names the Region.
    const isInRegion = request.headers.authorization?.includes(`/${stagingRegion}/`) === true
    const outputs = isInRegion ? stacks[name] : undefined
    response.writeHead(outputs === undefined ? 400 : 200, { 'Content-Type': 'text/xml' })
    response.end(outputs === undefined ? formatMissingStack(name) : formatStack(outputs))
  })
  const port = await listen(server.unref(), 0)
  return `http://127.0.0.1:${port}`
}

beforeEach(async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', await startCloudFormation())
  vi.stubEnv('AWS_REGION', stagingRegion)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})

it('an environment on AWS has the values that the outputs of its stacks name', async () => {
  using environment = await openEnvironment({ name: 'staging' })

  expect(environment).toMatchObject({
    name: 'staging',
    baseUrl: 'https://staging.example/v1',
    tables: {
      pets: 'the pets table',
      apiKeys: 'the API keys table',
      idempotency: 'the idempotency table',
      audit: 'the audit table',
      listings: 'the listings table',
    },
  })
})

it('an environment on AWS attempts a call eight times while DynamoDB fails', async () => {
  // Math.random chooses the wait before each attempt: 0 is the shortest one.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  let attempts = 0
  const server = createServer((_request, response) => {
    attempts += 1
    response.writeHead(500).end()
  })
  const port = await listen(server.unref(), 0)
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
  using environment = await openEnvironment({ name: 'staging' })

  const call = environment.database.send(new ScanCommand({ TableName: environment.tables.pets }))

  await expect(call).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } })
  expect(attempts).toBe(8)
})

it('a command whose AWS accepts connections and never answers ends with one sentence and exit code 1', async () => {
  // The shortest wait before each attempt.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { socketTimeout } = timeLimits
  onTestFinished(() => {
    timeLimits.socketTimeout = socketTimeout
  })
  timeLimits.socketTimeout = 50
  let attempts = 0
  // This server counts requests, and responds to none.
  const server = createServer(() => {
    attempts += 1
  })
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', `http://127.0.0.1:${await listen(server.unref(), 0)}`)

  const result = await runCommandInProcess(createKeysCommand(), ['list', '--env', 'staging'])

  const errors = expect.stringMatching(/^Nothing has answered in time\. Check the network .*\n$/)
  expect(result).toEqual({ output: '', errors, exitCode: 1 })
  expect(attempts).toBe(8)
})

it('a call that gets no answer ends within two minutes', () => {
  const { connectionTimeout, socketTimeout } = timeLimits
  // The SDK begins to count the time without a byte up to 3 s late. The waits between eight attempts take 7.1 s at
  // most.
  const longest = 8 * Math.max(connectionTimeout, 3_000 + socketTimeout) + 7_100

  expect(longest).toBeLessThan(120_000)
})

it('NODE_USE_ENV_PROXY=1 leads calls of AWS through the proxy of the network', async () => {
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  vi.stubEnv('http_proxy', await startCloudFormation())
  vi.stubEnv('NO_PROXY', '')
  vi.stubEnv('no_proxy', '')
  // Only the proxy knows this host.
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', 'http://cloudformation.invalid')

  using environment = await openEnvironment({ name: 'staging' })

  expect(environment.tables.pets).toBe('the pets table')
})

it('NODE_USE_ENV_PROXY=1 leads no call of the local environment through a proxy', async () => {
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  vi.stubEnv('http_proxy', 'http://proxy.invalid')
  vi.stubEnv('NO_PROXY', '')
  vi.stubEnv('no_proxy', '')
  const server = createServer((_request, response) => response.end('{"TableNames":["Pets"]}'))
  const client = connectCommandToLocalDatabase(`http://127.0.0.1:${await listen(server.unref(), 0)}`)

  expect(await client.send(new ListTablesCommand())).toMatchObject({ TableNames: ['Pets'] })
})

it('opening an environment with the credentials of another account fails with both accounts', async () => {
  const staging: { account?: string } = environments.staging
  const settingsBefore = { ...staging }
  onTestFinished(() => {
    // Without this, the account of the test would stay if the settings have none.
    delete staging.account
    Object.assign(staging, settingsBefore)
  })
  staging.account = '444455556666'

  await expect(openEnvironment({ name: 'staging' })).rejects.toThrow(
    'The credentials are those of the account 111122223333, and staging.account in infra/environments.ts is ' +
      '444455556666. Set AWS_PROFILE to a profile of that account.',
  )
})

it('opening an environment that is not deployed fails with the searched Region and settings to change', async () => {
  const region = environments.production.region ?? stagingRegion

  await expect(openEnvironment({ name: 'production' })).rejects.toThrow(
    `The stack pet-adoption-production-data is not deployed in ${region} of this account. ` +
      'Set AWS_PROFILE and AWS_REGION, or production.region in infra/environments.ts, to where it is.',
  )
})

it('opening an environment without credentials fails with the settings to check', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined)
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere')
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere')
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')

  const message = await openEnvironment({ name: 'staging' }).catch(describeError)

  expect(message).toMatch(/^AWS needs other credentials \(.* or check AWS_PROFILE\.$/)
})

/** Writes the record of a local environment that runs on a database. @returns its data folder */
const recordLocalEnvironment = (databaseEndpoint: string, processId = process.pid): string => {
  const dataFolder = createTemporaryFolder()
  const tables = { pets: 'p', apiKeys: 'k', idempotency: 'i', audit: 'a', listings: 'l' }
  writeDataFolderRecord(dataFolder, { layout: 0, environment: { processId, tables, baseUrl: '', databaseEndpoint } })
  return dataFolder
}

it('a local environment whose database does not respond is not found', async () => {
  const dataFolder = recordLocalEnvironment('http://nothing.invalid:8000')

  expect(await findLocalEnvironment(dataFolder)).toBeUndefined()
})

it('a local environment whose process has ended is not found, although its database still responds', async () => {
  const port = await listen(createServer().unref(), 0)
  const endedProcess = spawnSync(process.execPath, ['--version'])
  const dataFolder = recordLocalEnvironment(`http://127.0.0.1:${port}`, endedProcess.pid)

  expect(await findLocalEnvironment(dataFolder)).toBeUndefined()
})
