/** `npm run sam`: runs the SAM CLI's `sam local` on the functions and tables of the local environment. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import { promisify } from 'node:util'
import { listenForInterruption } from '../command-line/long-work.ts'
import { createTool, dataFolderOption, defaultDataFolder, runTool } from '../command-line/tool.ts'
import { UserError } from '../command-line/user-error.ts'
import { localStage } from '../environments.ts'
import { localCredentials, localRegion } from '../operations/environment/local-database.ts'
import { requireLocalEnvironment } from '../operations/environment/local-environment-record.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import { listen } from './gateway/listen.ts'
import { resolveEnvironmentTemplate } from './template/environment-template.ts'
import { readStacks, type Stack } from './template/stacks.ts'

/** By which containers reach this machine. */
const hostName = 'host.docker.internal'

/**
 * Makes the database, which is on 127.0.0.1 and takes requests for that host alone, reachable from containers. On Linux it
 * listens on this machine's address in Docker's network. Elsewhere, and with Finch, containers run in a virtual machine
 * that reaches what listens on 127.0.0.1.
 *
 * @returns its endpoint, as a container names it
 */
const forwardTo = async (databaseEndpoint: string): Promise<string> => {
  const { host } = new URL(databaseEndpoint)
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming
    const forwarded = request(databaseEndpoint, { method, headers: { ...headers, host } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.once('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  // Docker names the address: the operating system lists the network only while a container runs.
  const inspect = ['network', 'inspect', 'bridge', '--format', '{{(index .IPAM.Config 0).Gateway}}']
  const { stdout } =
    platform === 'linux' ? await promisify(execFile)('docker', inspect).catch(() => ({ stdout: '' })) : { stdout: '' }
  return `http://${hostName}:${await listen(server.unref(), 0, stdout.trim() || '127.0.0.1')}`
}

/**
 * The template of the stack with the API, with three changes: their logical ids are the names of their operations,
 * their environment has the tables and the database of this machine (SAM leaves `Fn::ImportValue` empty), and their
 * architecture is this machine's.
 */
const samTemplate = (stacks: readonly Stack[], databaseEndpoint: string): string => {
  const { functions } = resolveEnvironmentTemplate(stacks)
  const template = stacks
    .map((stack) => stack.template)
    .find(({ Resources }) => Object.values(Resources).some(({ Type }) => Type === 'AWS::ApiGateway::RestApi'))
  const operations = new Map<string, string>()
  const resources = Object.entries(template?.Resources ?? {}).map(([logicalId, resource]) => {
    const lambda = functions.get(String(resource.Metadata?.['operation']))
    if (lambda === undefined) return [logicalId, resource]
    operations.set(logicalId, lambda.name)
    const Architectures = [arch === 'arm64' ? 'arm64' : 'x86_64']
    const Environment = { Variables: { ...lambda.environment, AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint } }
    return [logicalId, { ...resource, Properties: { ...resource.Properties, Architectures, Environment } }]
  })
  // Everything refers to a function by a text that is its logical id.
  const text = JSON.stringify({ ...template, Resources: Object.fromEntries(resources) }, null, 2)
  return text.replaceAll(/(?<=")\w+(?=")/g, (logicalId) => operations.get(logicalId) ?? logicalId)
}

await runTool(
  createTool('npm run sam --', 'Runs "sam local" with the functions and the tables of the local environment.')
    .argument('<command>', 'of "sam local": invoke, start-api, start-lambda or generate-event')
    .argument('[words...]', 'what follows it, such as: get-pet -e test/events/get-pet.json')
    .addOption(dataFolderOption)
    .passThroughOptions()
    .addHelpText('after', '\nAll other options are those of "sam local"; put --data before its words.')
    .action(async (command, words, { data = defaultDataFolder }) => {
      const { databaseEndpoint } = await requireLocalEnvironment(data)
      const assembly = await synthesize()
      // Where the templates of the CDK are: the paths of the bundles are relative.
      const template = join(assembly, `assembly-${localStage}`, `sam-${process.pid}.json`)
      writeFileSync(template, samTemplate(readStacks(assembly, localStage), await forwardTo(databaseEndpoint)))
      // Of an option that occurs twice, SAM takes the last. Its own port is that of `npm start`.
      const defaults = command === 'start-api' ? ['--port', '3001', '--warm-containers', 'LAZY'] : []
      const ours = ['--template', template, '--add-host', `${hostName}:host-gateway`, ...defaults]
      const sam = spawn('sam', ['local', command, ...ours, ...words], {
        stdio: 'inherit',
        // Ctrl-C reaches every process of the terminal's group at once; SAM must get it once, from here.
        detached: true,
        // Functions get no credentials of the user, and SAM reports its use to nobody.
        env: {
          ...process.env,
          SAM_CLI_TELEMETRY: '0',
          AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
          AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
          AWS_SESSION_TOKEN: undefined,
          AWS_PROFILE: undefined,
          AWS_REGION: localRegion,
          AWS_DEFAULT_REGION: localRegion,
        },
      })
      listenForInterruption().signal.addEventListener('abort', () => sam.kill('SIGINT'))
      process.once('exit', () => rmSync(template, { force: true }))
      const [exitCode] = await once(sam, 'exit').catch(() => {
        throw new UserError('The SAM CLI does not start. Install it, for example with "pip install aws-sam-cli".')
      })
      process.exit(exitCode ?? 1)
    }),
)
