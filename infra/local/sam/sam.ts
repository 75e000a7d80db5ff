/** `npm run sam`: runs the SAM CLI's `sam local` on the functions and tables of the local environment. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { arch } from 'node:process'
import { parseArgs } from 'node:util'
import { interruption } from '../../command-line/interruption.ts'
import { dataOption, defaultDataFolder } from '../../command-line/options.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine, tool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { localStage } from '../../environments.ts'
import { requireRunningEnvironment } from '../../operations/target/environment-file.ts'
import { localCredentials, localRegion } from '../../operations/target/local-database.ts'
import { synthesize } from '../../synthesis/synthesize.ts'
import { readEvent } from '../event-file.ts'
import { listen } from '../gateway/server/listen.ts'
import { functionOf } from '../operation-function.ts'
import { readEnvironmentTemplate } from '../template/environment-template.ts'
import { findContainerEngine, openNetwork } from './container-engine.ts'
import { forwardDatabase } from './database-forwarder.ts'
import { samTemplate } from './sam-template.ts'

const readWords = (line: readonly string[]) => {
  const sam = tool('npm run sam --', 'Runs "sam local" with the functions and the tables of the local environment.')
    .argument('<words...>', 'what follows "sam local", such as: invoke get-pet -e test/events/get-pet.json')
    .addOption(dataOption)
    .passThroughOptions()
    .addHelpText(
      'after',
      `
All other options are those of "sam local"; put --data before its words. start-api listens on port
${defaultPort} unless --port names another, and keeps its containers between requests.`,
    )
    .parse(line, { from: 'user' })
  return { words: sam.args, dataFolder: sam.opts().data ?? defaultDataFolder }
}

/** SAM's own default is the port of `npm start`. */
const defaultPort = 3001

/** Checks what SAM would report late, or in many lines. @throws UserError */
const check = async (words: readonly string[], assembly: string): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { event: { type: 'string', short: 'e' }, port: { type: 'string', short: 'p' } },
    allowPositionals: true,
    // All other options are SAM's.
    strict: false,
  })
  const [command, ...others] = positionals
  if (command === 'invoke') {
    const template = readEnvironmentTemplate(assembly, localStage)
    const operations = [...template.functions.values()].map(({ operation }) => operation)
    // Others may be the values of SAM's options.
    const operation = others.find((word) => operations.includes(word)) ?? others.at(-1)
    if (operation !== undefined) functionOf(template, operation)
    if (typeof values.event === 'string' && values.event !== '-') readEvent(values.event)
  }
  if (command === 'start-api' || command === 'start-lambda') {
    const port = Number(values.port ?? defaultPort)
    const server = createServer()
    // SAM says what no port is.
    if (port > 0 && port < 65_536) await listen(server, port)
    server.close()
  }
}

/** Of an option that occurs twice, SAM takes the last. */
const withDefaults = (words: readonly string[]): readonly string[] => {
  const [command, ...others] = words
  return command === 'start-api'
    ? [command, '--port', String(defaultPort), '--warm-containers', 'LAZY', ...others]
    : words
}

const samIsMissing =
  'The SAM CLI is not on the PATH. Install it, for example with "pip install aws-sam-cli", and run the command again.'

/** Functions get no credentials of the user, and SAM reports its use to nobody. */
const startSam = (words: readonly string[], template: string, network: string) =>
  spawn('sam', ['local', ...withDefaults(words)], {
    stdio: 'inherit',
    // Ctrl-C reaches every process of the terminal's group at once; SAM must get it once, from here.
    detached: true,
    env: {
      ...process.env,
      SAM_TEMPLATE_FILE: template,
      SAM_DOCKER_NETWORK: network,
      SAM_CLI_TELEMETRY: '0',
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
      AWS_SESSION_TOKEN: undefined,
      AWS_PROFILE: undefined,
      AWS_REGION: localRegion,
      AWS_DEFAULT_REGION: localRegion,
    },
  })

await runCommand(async () => {
  const { words, dataFolder } = readWords(commandLine())
  const { databaseEndpoint } = await requireRunningEnvironment(dataFolder)
  const assembly = await synthesize()
  await check(words, assembly)
  const engine = await findContainerEngine()

  const interrupted = interruption()
  await using resources = new AsyncDisposableStack()
  const network = await openNetwork(engine)
  // An engine that has stopped keeps it, for the next command to remove.
  resources.defer(() => network.remove().catch(() => undefined))
  const forwarder = await forwardDatabase(databaseEndpoint, network)
  resources.defer(forwarder.close)
  // Beside the folders of the assembly: the paths of the bundles are relative.
  const folder = mkdtempSync(join(assembly, 'sam-'))
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const template = join(folder, 'template.json')
  writeFileSync(template, samTemplate(assembly, forwarder.endpoint, arch))
  if (interrupted.aborted) return

  const sam = startSam(words, template, network.name)
  interrupted.addEventListener('abort', () => sam.kill('SIGINT'))
  resources.defer(engine.watch(() => sam.kill('SIGKILL')))
  const [exitCode] = await once(sam, 'exit').catch((error: unknown) => {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? new UserError(samIsMissing) : error
  })
  if (interrupted.aborted) return
  if (exitCode !== 0 && !(await engine.responds())) {
    throw new UserError('The container engine stopped. Start it, and run the command again.')
  }
  process.exitCode = exitCode ?? 1
})
