/** `npm start`: runs the whole service on this machine. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import {
  createCommand,
  createWholeNumberParser,
  dataFolderOption,
  defaultDataFolder,
  runCommandLine,
} from '../command-line/command.ts'
import { endAtInterruption } from '../command-line/interruption.ts'
import { UsageError } from '../command-line/user-error.ts'
import { type LocalEnvironment, startLocalEnvironment } from './environment.ts'

const parsePort = createWholeNumberParser(0, 65_535)

const parseEndpoint = (text: string): string => {
  if (/^https?:/i.test(text) && URL.canParse(text)) return new URL(text).origin
  throw new InvalidArgumentError('It must be a URL, such as http://127.0.0.1:8000.')
}

const announce = ({ baseUrl, referenceUrl, demoKeys }: LocalEnvironment): void => {
  const seconds = process.uptime().toFixed(1)
  const keyLines = demoKeys.map(({ plan, apiKey, limits: { perMinute, perDay } }) => {
    const limits = `${perMinute} a minute, ${perDay} a day`
    return `  ${plan.padEnd(10)} ${apiKey}  (${limits})`
  })
  console.log(`The Pet Adoption API is ready after ${seconds} s.

  ${baseUrl}

API reference:

  ${referenceUrl}

Demo API keys, valid on this machine only:
${keyLines.join('\n')}

Try it:
  curl -i -H "Authorization: Bearer ${demoKeys[0]?.apiKey}" "${baseUrl}/pets?limit=3"

Press Ctrl-C to stop.`)
}

await runCommandLine(
  createCommand('npm start --', 'Runs the whole service on this machine.')
    .option('--port <n>', 'listen on this port of this machine; 0 takes a free one', parsePort, 3_000)
    .addOption(dataFolderOption)
    .option('--fresh', 'delete the data first', false)
    .option('--dynamodb <url>', 'use the DynamoDB that runs there, such as DynamoDB Local', parseEndpoint)
    .option('--watch', 'apply changes of the code while it runs', false)
    .action(async ({ data = defaultDataFolder, ...options }) => {
      if (options.fresh && options.dynamodb !== undefined)
        throw new UsageError('--fresh deletes the data folder. Delete the tables of --dynamodb there.')
      const environment = await startLocalEnvironment({ ...options, dataFolder: data })
      endAtInterruption(async () => {
        await environment.stop()
        process.exit(0)
      })
      announce(environment)
    }),
)
