/** `npm run invoke`: runs one function on a recorded event, with the tables of the local environment. */
import { readFileSync } from 'node:fs'
import { printableJson, printableLines } from '../command-line/printable.ts'
import { createTool, dataFolderOption, defaultDataFolder, runTool } from '../command-line/tool.ts'
import { UserError } from '../command-line/user-error.ts'
import { localStage } from '../environments.ts'
import { findLocalEnvironment } from '../operations/environment/local-environment-record.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import { startLocalEnvironment } from './environment.ts'
import { createFunctionHost } from './lambda/function-host.ts'
import { readEnvironmentTemplate } from './template/environment-template.ts'

const readEvent = (file: string): string => {
  try {
    return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new UserError(`${file} is not a readable JSON file. Name a file with an event of API Gateway.`)
  }
}

await runTool(
  createTool(
    'npm run invoke --',
    'Runs one function of the API on an event, against the tables of the local environment.',
  )
    .argument('<operation>', 'a folder of functions/, such as list-pets')
    .argument('<event>', 'a JSON file with an event of API Gateway, such as those in test/events')
    .addOption(dataFolderOption)
    .action(async (operation, file, { data = defaultDataFolder }) => {
      const event = readEvent(file)
      const { functions, restApi } = readEnvironmentTemplate(await synthesize(), localStage)
      // What else there is calls AWS.
      const invoked = new Set(restApi.methods.flatMap(({ authorizer, integration }) => [authorizer, integration]))
      const operations = [...functions.keys()].filter((name) => invoked.has(name)).toSorted()
      if (!operations.includes(operation)) {
        throw new UserError(`The API has no operation ${operation}. It has ${operations.join(', ')}.`)
      }
      await using resources = new AsyncDisposableStack()
      const running = await findLocalEnvironment(data)
      // If none runs, one is started for this invocation: only one process can open a folder's database.
      const started = running ?? (await startLocalEnvironment({ port: 0, dataFolder: data }))
      if ('stop' in started) resources.defer(started.stop)
      const { databaseEndpoint } = started
      const writeLine = (text: string): void => console.error(printableLines(text))
      const host = createFunctionHost({ functions, databaseEndpoint, writeLine })
      resources.defer(host.close)
      const outcome = await host.invoke(operation, event)
      if (outcome.kind === 'error') {
        host.report(operation, outcome.log)
        throw new UserError(`The function failed: ${outcome.message}`)
      }
      console.log(printableJson(JSON.parse(outcome.payload), 2))
    }),
)
