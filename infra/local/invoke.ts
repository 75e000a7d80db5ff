/** `npm run invoke`: runs one function on a recorded event, with the tables of the local environment. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printable, printableJson } from '../command-line/printable.ts'
import { runCommand } from '../command-line/run-command.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { UserError } from '../command-line/user-error.ts'
import { localStage } from '../environments.ts'
import { findRunningEnvironment } from '../operations/target/environment-file.ts'
import { isObject, type JsonObject } from '../synthesis/json.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import { startLocalEnvironment } from './environment.ts'
import { createFunctionHost } from './lambda/function-host.ts'
import { describeError } from './lambda/invocation.ts'
import { operationNames } from './operation-names.ts'
import { type EnvironmentTemplate, readEnvironmentTemplate } from './template/environment-template.ts'

const usage = `Usage: npm run invoke -- OPERATION EVENT.json [--data DIR]

  OPERATION   a folder of functions/, such as list-pets
  EVENT.json  an event of API Gateway, such as those in test/events
  --data DIR  the data folder of the local environment (default .local)`

interface Invocation {
  readonly operation: string
  readonly event: JsonObject
  readonly dataFolder: string
}

const readInvocation = (words: readonly string[]): Invocation | 'help' => {
  const { values, positionals } = parse(words)
  if (values.help) return 'help'
  const [operation, file, ...others] = positionals
  if (operation === undefined || file === undefined || others.length > 0) {
    throw new UsageError('Name one operation and one file with an event.')
  }
  return { operation, event: readEvent(file), dataFolder: values.data }
}

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { data: { type: 'string', default: '.local' }, help: { type: 'boolean', default: false } },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const readEvent = (file: string): JsonObject => {
  try {
    const event: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isObject(event)) return event
  } catch {
    throw new UserError(`${file} cannot be read as JSON. Name a file with an event of API Gateway.`)
  }
  throw new UserError(`${file} is not an event: it must be a JSON object.`)
}

const functionOf = (template: EnvironmentTemplate, operation: string): string => {
  const names = operationNames(template)
  const found = [...names].find(([, name]) => name === operation)
  if (found !== undefined) return found[0]
  const known = [...new Set(names.values())].toSorted().join(', ')
  throw new UserError(`There is no operation ${operation}. The operations are ${known}.`)
}

const invoke = async ({ operation, event, dataFolder }: Invocation, databaseEndpoint: string) => {
  const assembly = resolve(dataFolder, 'cdk.out')
  await synthesize(assembly)
  const template = readEnvironmentTemplate(assembly, localStage)
  const functionName = functionOf(template, operation)
  const writeLine = (_name: string, line: string): void => console.error(printable(line))
  const host = createFunctionHost({ functions: template.functions, databaseEndpoint, writeLine })
  try {
    return await host.invoke(functionName, JSON.stringify(event))
  } finally {
    await host.close()
  }
}

await runCommand(usage, async () => {
  const invocation = readInvocation(process.argv.slice(2))
  if (invocation === 'help') {
    console.log(usage)
    return
  }
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
