/**
 * `npm run sam`: runs the SAM CLI's `sam local` on the functions and the tables of the local environment.
 *
 * Unlike API Gateway, SAM has no gateway responses, usage plans and throttles, responds to preflights by itself, and
 * serves paths without a stage.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCommand, dataFolderOption, defaultDataFolder, runCommandLine } from '../command-line/command.ts'
import { endAtInterruption } from '../command-line/interruption.ts'
import { UsageError, UserError } from '../command-line/user-error.ts'
import { localCredentials, localRegion } from '../commands/environment/local-database.ts'
import { requireLocalEnvironment } from '../commands/environment/local-environment.ts'
import { localStage } from '../environments.ts'
import { containerHostName, forwardDatabase } from './container-network.ts'
import { createSamTemplate } from './sam-template.ts'
import { synthesize } from './synthesis/synthesize.ts'
import { readStacks } from './template/stacks.ts'

/**
 * Writes the template for SAM into a file, which is deleted when this process ends.
 *
 * @param containerEndpoint endpoint of the database that a container can reach
 * @returns the path of the file
 */
const writeTemplate = async (containerEndpoint: string): Promise<string> => {
  const assembly = await synthesize()
  const template = createSamTemplate(readStacks(assembly, localStage), containerEndpoint)

  // The file stands beside the templates of the CDK, because the paths of the bundles are relative to them.
  const file = join(assembly, `assembly-${localStage}`, `sam-${process.pid}.json`)
  process.once('exit', () => rmSync(file, { force: true }))
  writeFileSync(file, JSON.stringify(template, null, 2))
  return file
}

/** Variables of the SAM CLI: functions get no credentials of the user, and SAM reports its use to nobody. */
const samEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  SAM_CLI_TELEMETRY: '0',
  AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_REGION: localRegion,
  AWS_DEFAULT_REGION: localRegion,
}

/** Options of `sam local start-api`. SAM's own default port is 3000, which `npm start` uses. */
const startApiOptions = ['--port', '3001', '--warm-containers', 'LAZY']

const runSam = async (command: string, samArguments: readonly string[], template: string): Promise<number> => {
  const options = ['--template', template, '--add-host', `${containerHostName}:host-gateway`]
  if (command === 'start-api') options.push(...startApiOptions)

  // The user's arguments come last: if an option occurs twice, SAM takes the last one.
  const sam = spawn('sam', ['local', command, ...options, ...samArguments], {
    stdio: 'inherit',
    // Ctrl-C reaches every process of the terminal's group. In a group of its own, SAM gets it once, from this process.
    detached: true,
    env: samEnvironment,
  })
  endAtInterruption(() => sam.kill('SIGINT'))

  const [exitCode] = await once(sam, 'exit').catch(() => {
    throw new UserError('The SAM CLI does not start. Install it, for example with "pip install aws-sam-cli".')
  })
  return exitCode ?? 1
}

await runCommandLine(
  createCommand('npm run sam --', 'Runs "sam local" with the functions and the tables of the local environment.')
    .argument('<command>', 'command of "sam local": invoke, start-api, start-lambda or generate-event')
    .argument('[arguments...]', 'arguments of the command, such as: get-pet -e test/events/get-pet.json')
    .addOption(dataFolderOption)
    .passThroughOptions()
    .addHelpText('after', '\nAll other options are those of "sam local". Put --data before <command>.')
    .action(async (command, samArguments, { data = defaultDataFolder }) => {
      if (samArguments.some((word) => /^--data(=|$)/.test(word)))
        throw new UsageError('Put --data before the command, as in: npm run sam -- --data FOLDER start-api')
      const { databaseEndpoint } = await requireLocalEnvironment(data)
      const template = await writeTemplate(await forwardDatabase(databaseEndpoint))
      process.exit(await runSam(command, samArguments, template))
    }),
)
