import { expect, it } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import { createApiCallers } from '../../../fixtures/commands/callers.ts'
import { runScriptInProcess } from '../../../fixtures/commands/commands.ts'
import { registerLocalEnvironment } from '../../../fixtures/commands/registered-environment.ts'
import { createClients } from '../../../fixtures/database/clients.ts'
import { startNode } from '../../../fixtures/machine/node-process.ts'

/**
 * Scripts of package.json that are programs of this project with options: `node infra/launch.cjs FILE`, perhaps with
 * the name of a command. `generate` has no options.
 */
const programs = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [, file, command] = /^node infra\/launch\.cjs ((?:infra|test)\/\S+\.ts)(?: (\w+))?$/.exec(script) ?? []
  return file === undefined || name === 'generate'
    ? []
    : [{ name, file, firstWords: command === undefined ? [] : [command] }]
})

/** Runs a script of package.json in this process with the words of a command line. */
const runScript = (name: string, words: readonly string[]) => {
  const { file = '', firstWords = [] } = programs.find((program) => program.name === name) ?? {}
  return runScriptInProcess(file, [...firstWords, ...words])
}

it.each(programs)('npm run $name prints its usage with --help', async ({ name }) => {
  const result = await runScript(name, ['--help'])

  const usage = expect.stringMatching(new RegExp(`^Usage: npm (run )?(--silent )?${name}\\b`))
  expect(result).toEqual({ output: usage, errors: '', exitCode: 0 })
})

it.each(programs)('npm run $name reports an option that it does not have', async ({ name }) => {
  const result = await runScript(name, ['--hlep'])

  const errors = "error: unknown option '--hlep'\n(Did you mean --help?)\n"
  expect(result).toEqual({ output: '', errors, exitCode: 2 })
})

it.each([
  { name: 'audit', line: '--since 1h', sentence: "error: required option '--env <name>' not specified" },
  { name: 'start', line: '--port 65536', sentence: 'It must be a whole number from 0 to 65535.' },
  { name: 'start', line: '4310', sentence: 'Expected 0 arguments but got 1: 4310.' },
])('npm run $name with "$line" says "$sentence"', async ({ name, line, sentence }) => {
  const result = await runScript(name, line.split(' '))

  expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 2 })
})

it.each([
  { name: 'keys', line: 'list --why leaked' },
  { name: 'pets', line: 'export --confirm production' },
  { name: 'audit', line: '--why leaked' },
])('npm run $name $line is refused: a command that only reads has no option of a change', async ({ name, line }) => {
  const result = await runScript(name, line.split(' '))

  expect(result).toEqual({ output: '', errors: expect.stringContaining('unknown option'), exitCode: 2 })
})

/** Runs a command that has lost the reader of one of its streams, as if `head` had read enough. */
const runWithoutReader = async (stream: 'stdout' | 'stderr', command: string, words: readonly string[]) => {
  const { child, ended, terminal } = startNode(['infra/commands/run.ts', command, ...words])
  child[stream].destroy()
  return { exitCode: await ended, printed: terminal() }
}

it('npm run keys -- --help ends quietly if nothing reads its output', async () => {
  expect(await runWithoutReader('stdout', 'keys', ['--help'])).toEqual({ exitCode: 0, printed: '' })
})

it('npm run pets -- set succeeds if nothing reads its output, because it has changed the pet', async () => {
  const { engine, tables, options } = await registerLocalEnvironment()
  const { client } = createClients(engine)
  const callers = createApiCallers(client, tables.pets)
  await callers.addPet({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })

  const result = await runWithoutReader('stdout', 'pets', ['set', '5', '--status', 'sold', ...options])

  expect(result).toEqual({ exitCode: 0, printed: '' })
  expect(await callers.listPets()).toMatchObject([{ id: 5n, status: 'sold' }])
})

// `keys` has no command `lost`: it writes a message to standard error, and ends with the exit code 2.
it('a command goes on if nothing reads its messages', async () => {
  expect(await runWithoutReader('stderr', 'keys', ['lost'])).toEqual({ exitCode: 2, printed: '' })
})
