/** `npm run sam`: runs the SAM CLI's `sam local` on the functions and tables of the local environment. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import { promisify } from 'node:util'
import { interruption } from '../command-line/interruption.ts'
import { dataOption, defaultDataFolder } from '../command-line/options.ts'
import { runCommand } from '../command-line/run-command.ts'
import { commandLine, tool } from '../command-line/tool.ts'
import { UserError } from '../command-line/user-error.ts'
import { requireRunningEnvironment } from '../operations/target/environment-file.ts'
import { localCredentials, localRegion } from '../operations/target/local-database.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import { listen } from './gateway/listen.ts'
import { samTemplate } from './template/sam-template.ts'

const readWords = (line: readonly string[]) => {
  const sam = tool('npm run sam --', 'Runs "sam local" with the functions and the tables of the local environment.')
    .argument('<command>', 'of "sam local": invoke, start-api, start-lambda or generate-event')
    .argument('[words...]', 'what follows it, such as: get-pet -e test/events/get-pet.json')
    .addOption(dataOption)
    .passThroughOptions()
    .addHelpText('after', '\nAll other options are those of "sam local"; put --data before its words.')
    .parse(line, { from: 'user' })
  const [command, words] = sam.processedArgs
  return { command, words, dataFolder: sam.opts().data ?? defaultDataFolder }
}

/** By which containers reach this machine. */
const hostName = 'host.docker.internal'

/**
 * Makes the database, which is on 127.0.0.1, reachable from containers. On Linux it listens on this machine's address in
 * Docker's network, and accepts only its containers. Elsewhere the engine runs in a virtual machine, whose containers reach
 * what listens on 127.0.0.1.
 *
 * @returns its endpoint, as a container names it
 */
const forwardTo = async (databaseEndpoint: string): Promise<string> => {
  const { address, subnet } = await findNetwork()
  const containers = new BlockList()
  const [start = '', prefix] = subnet.split('/')
  containers.addSubnet(start, Number(prefix))
  const { host } = new URL(databaseEndpoint)
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming
    const forwarded = request(databaseEndpoint, { method, headers: { ...headers, host }, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.once('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  // The forwarder does not keep this process when SAM has ended.
  server.unref().on('connection', (socket) => {
    if (containers.check(socket.remoteAddress ?? '')) socket.unref()
    else socket.destroy()
  })
  return `http://${hostName}:${await listen(server, 0, address)}`
}

/**
 * This machine's address in Docker's network, and that network. Docker names them: the operating system lists a network
 * only while a container runs. Elsewhere than on Linux, and with Finch, both are of this machine alone.
 */
const findNetwork = async (): Promise<{ readonly address: string; readonly subnet: string }> => {
  const format = '{{with index .IPAM.Config 0}}{{.Gateway}} {{.Subnet}}{{end}}'
  const none = { stdout: '' }
  const inspect = promisify(execFile)
  const { stdout } =
    platform === 'linux'
      ? await inspect('docker', ['network', 'inspect', 'bridge', '--format', format]).catch(() => none)
      : none
  const [address = '', subnet] = stdout.trim().split(' ')
  return subnet === undefined ? { address: '127.0.0.1', subnet: '127.0.0.0/8' } : { address, subnet }
}

/** Of an option that occurs twice, SAM takes the last. Its own port is that of `npm start`. */
const defaults: Readonly<Record<string, readonly string[]>> = {
  'start-api': ['--port', '3001', '--warm-containers', 'LAZY'],
}

await runCommand(async () => {
  const { command, words, dataFolder } = readWords(commandLine())
  const { databaseEndpoint } = await requireRunningEnvironment(dataFolder)
  const assembly = await synthesize()
  // Beside the folders of the assembly: the paths of the bundles are relative.
  const folder = mkdtempSync(join(assembly, 'sam-'))
  const template = join(folder, 'template.json')
  writeFileSync(template, samTemplate(assembly, await forwardTo(databaseEndpoint), arch))
  const ours = ['--template', template, '--add-host', `${hostName}:host-gateway`, ...(defaults[command] ?? [])]
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
  interruption().addEventListener('abort', () => sam.kill('SIGINT'))
  try {
    const [exitCode] = await once(sam, 'exit')
    process.exitCode = exitCode ?? 1
  } catch {
    throw new UserError('The SAM CLI does not start. Install it, for example with "pip install aws-sam-cli".')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
