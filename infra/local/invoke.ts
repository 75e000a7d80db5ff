/** `npm run invoke`: runs one function on a recorded event, with the tables of the local environment. */
import { readFileSync } from 'node:fs'
import { createCommand, dataFolderOption, defaultDataFolder, runCommandLine } from '../command-line/command.ts'
import { resolveOperatorPath } from '../command-line/operator-path.ts'
import { formatPrintableJson, makeLinesPrintable } from '../command-line/printable.ts'
import { UserError } from '../command-line/user-error.ts'
import { localStage } from '../environments.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import { startLocalEnvironment } from './environment.ts'
import { createFunctionHost } from './lambda/function-host.ts'
import { findLocalEnvironment } from './record/local-environment-record.ts'
import { readEnvironmentTemplate } from './template/environment-template.ts'
import type { RestApi } from './template/rest-api.ts'

const readEvent = (file: string): string => {
  try {
    return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new UserError(`${file} is not a readable JSON file. Name a file with an event of API Gateway.`)
  }
}

/** Lists the functions that the API invokes. Other functions, such as gateway-keys, call AWS. */
const listOperations = ({ methods }: RestApi, functionNames: Iterable<string>): readonly string[] => {
  const invoked = new Set(methods.flatMap(({ authorizer, integration }) => [authorizer, integration]))
  return [...functionNames].filter((name) => invoked.has(name)).toSorted()
}

/**
 * Finds the database of the environment on a data folder. If no environment runs, one is started for the invocation,
 * because only one process can open the folder's database.
 *
 * @param resources ends the environment that was started
 */
const findDatabase = async (dataFolder: string, resources: AsyncDisposableStack): Promise<string> => {
  const running = await findLocalEnvironment(dataFolder)
  if (running !== undefined) return running.databaseEndpoint

  const started = await startLocalEnvironment({ port: 0, dataFolder })
  resources.defer(started.stop)
  return started.databaseEndpoint
}

const invoke = async (operation: string, eventFile: string, dataFolder: string): Promise<void> => {
  const event = readEvent(eventFile)
  const { functions, restApi } = readEnvironmentTemplate(await synthesize(), localStage)
  const operations = listOperations(restApi, functions.keys())
  if (!operations.includes(operation)) {
    throw new UserError(`The API has no operation ${operation}. It has ${operations.join(', ')}.`)
  }

  await using resources = new AsyncDisposableStack()
  const databaseEndpoint = await findDatabase(dataFolder, resources)
  const writeLine = (text: string): void => console.error(makeLinesPrintable(text))
  const host = createFunctionHost({ functions, databaseEndpoint, writeLine })
  resources.defer(host.close)

  const outcome = await host.invoke(operation, event)
  if (outcome.kind === 'error') {
    host.report(operation, outcome.log)
    throw new UserError(`The function failed: ${outcome.message}`)
  }
  console.log(formatPrintableJson(JSON.parse(outcome.payload), 2))
}

await runCommandLine(
  createCommand(
    'npm run invoke --',
    'Runs one function of the API on an event, against the tables of the local environment.',
  )
    .argument('<operation>', 'a folder of functions/, such as list-pets')
    .argument('<event>', 'a JSON file with an event of API Gateway, such as those in test/events', resolveOperatorPath)
    .addOption(dataFolderOption)
    .action((operation, eventFile, { data = defaultDataFolder }) => invoke(operation, eventFile, data)),
)
