/**
 * `npm run invoke`: runs one function from its code, in this process, on a recorded event, with the tables of the
 * local environment. A debugger that attaches to the process shows that code, and the timeout of the function is a day.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  createCommand,
  dataFolderOption,
  defaultDataFolder,
  resolveOperatorPath,
  runCommandLine,
} from '../command-line/command.ts'
import { formatPrintableJson } from '../command-line/printable.ts'
import { UserError } from '../command-line/user-error.ts'
import { findLocalEnvironment } from '../commands/environment/local-environment.ts'
import { localStage } from '../environments.ts'
import { startLocalEnvironment } from './environment.ts'
import { createRuntimeVariables } from './lambda/function-instance.ts'
import { describeAppError } from './synthesis/describe-app-error.ts'
import { synthesize } from './synthesis/synthesize.ts'
import { type LambdaFunction, readEnvironmentTemplate } from './template/environment-template.ts'
import type { RestApi } from './template/rest-api.ts'

const readEvent = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new UserError(`${file} is not a readable JSON file. Name a file with an event of API Gateway.`)
  }
}

/** Lists the functions that the API invokes, authorizers included. Others, such as gateway-keys, work on AWS alone. */
const listInvokedFunctions = ({ methods }: RestApi, functionNames: Iterable<string>): readonly string[] => {
  const invoked = new Set(methods.flatMap(({ authorizer, integration }) => [authorizer, integration]))
  return [...functionNames].filter((name) => invoked.has(name)).toSorted()
}

/**
 * Finds the database on a data folder. Only one process can open it, so a running environment's is used. If none runs,
 * one is started for the invocation.
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

const dayMilliseconds = 86_400_000

/**
 * Runs the handler of a function.
 *
 * @throws UserError with the lines of the repository that led to the failure
 */
const runHandler = async ({ name }: LambdaFunction, event: unknown): Promise<unknown> => {
  const context = {
    functionName: name,
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => dayMilliseconds,
  }
  try {
    const { handler } = await import(`../../functions/${name}/index.ts`)
    return await handler(event, context)
  } catch (error) {
    throw new UserError(`The function failed:\n${describeAppError(error)}`, { cause: error })
  }
}

const invoke = async (operation: string, eventFile: string, dataFolder: string): Promise<void> => {
  const event = readEvent(eventFile)
  const { functions, restApi } = readEnvironmentTemplate(await synthesize(), localStage)
  const lambda = functions.get(operation)
  const invokedFunctions = listInvokedFunctions(restApi, functions.keys())
  if (lambda === undefined || !invokedFunctions.includes(operation)) {
    throw new UserError(`The API has no operation ${operation}. It has ${invokedFunctions.join(', ')}.`)
  }

  await using resources = new AsyncDisposableStack()
  const databaseEndpoint = await findDatabase(dataFolder, resources)
  // The function sees no variable of this shell, as on Lambda. Its own are set before it is imported, because it reads
  // them then.
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, createRuntimeVariables(lambda, databaseEndpoint))
  console.log(formatPrintableJson(await runHandler(lambda, event), 2))
}

await runCommandLine(
  createCommand(
    'npm run invoke --',
    'Runs one function of the API from its code on an event, against the tables of the local environment.',
  )
    .argument('<operation>', 'a folder of functions/, such as list-pets')
    .argument('<event>', 'a JSON file with an event of API Gateway, such as those in test/events', resolveOperatorPath)
    .addOption(dataFolderOption)
    .action((operation, eventFile, { data = defaultDataFolder }) => invoke(operation, eventFile, data)),
)
