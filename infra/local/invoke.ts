/** `npm run invoke`: runs one function on a recorded event, with the tables of the local environment. */
import { dataOption, defaultDataFolder } from '../command-line/options.ts'
import { printable, printableJson } from '../command-line/printable.ts'
import { runCommand } from '../command-line/run-command.ts'
import { commandLine, tool } from '../command-line/tool.ts'
import { UserError } from '../command-line/user-error.ts'
import { localStage } from '../environments.ts'
import { findRunningEnvironment } from '../operations/target/environment-file.ts'
import type { JsonObject } from '../synthesis/json.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import { startLocalEnvironment } from './environment.ts'
import { readEvent } from './event-file.ts'
import { createFunctionHost } from './lambda/function-host.ts'
import { describeError } from './lambda/invocation.ts'
import { functionOf } from './operation-function.ts'
import { readEnvironmentTemplate } from './template/environment-template.ts'

interface Invocation {
  readonly operation: string
  readonly event: JsonObject
  readonly dataFolder: string
}

const readInvocation = (line: readonly string[]): Invocation => {
  const invoke = tool(
    'npm run invoke --',
    'Runs one function on an event, against the tables of the local environment.',
  )
    .argument('<operation>', 'a folder of functions/, such as list-pets')
    .argument('<event>', 'a JSON file with an event of API Gateway, such as those in test/events')
    .addOption(dataOption)
    .parse(line, { from: 'user' })
  const [operation, file] = invoke.processedArgs
  return { operation, event: readEvent(file), dataFolder: invoke.opts().data ?? defaultDataFolder }
}

const invoke = async ({ operation, event }: Invocation, databaseEndpoint: string) => {
  const template = readEnvironmentTemplate(await synthesize(), localStage)
  const { name } = functionOf(template, operation)
  const writeLine = (_function: string, line: string): void => console.error(printable(line))
  const host = createFunctionHost({ functions: template.functions, databaseEndpoint, writeLine })
  try {
    return await host.invoke(name, JSON.stringify(event))
  } finally {
    await host.close()
  }
}

await runCommand(async () => {
  const invocation = readInvocation(commandLine())
  const running = await findRunningEnvironment(invocation.dataFolder)
  // If none runs, one is started for this invocation: only one process can open a folder's database.
  const environment = running ?? (await startLocalEnvironment({ port: 0, dataFolder: invocation.dataFolder }))
  try {
    const outcome = await invoke(invocation, environment.databaseEndpoint)
    if (outcome.kind === 'error') {
      throw new UserError(`The function failed: ${describeError(outcome)}`)
    }
    console.log(printableJson(JSON.parse(outcome.payload), 2))
  } finally {
    if ('stop' in environment) await environment.stop()
  }
})
