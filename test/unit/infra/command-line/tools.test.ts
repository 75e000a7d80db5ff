import { expect, it, vi } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import { captureOutput } from '../../../fixtures/commands.ts'

/** Scripts of package.json that are programs of this project with options. `generate` has none. */
const tools = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [, file] = /^node infra\/launch\.cjs ((?:infra|test)\/\S+\.ts)$/.exec(script) ?? []
  return file === undefined || name === 'generate' ? [] : [{ name, file }]
})

let runCount = 0

/** Runs a tool in this process with the words of a command line. */
const runTool = (name: string, words: readonly string[]) => {
  const file = tools.find((tool) => tool.name === name)?.file ?? ''
  vi.spyOn(process, 'argv', 'get').mockReturnValue([process.execPath, file, ...words])
  // A module runs once for each address from which it is imported.
  runCount += 1
  return captureOutput(() => import(/* @vite-ignore */ `../../../../${file}?${runCount}`))
}

const toolsAndHelpOptions = tools.flatMap(({ name }) => [
  { name, option: '--help' },
  { name, option: '-h' },
])

it.each(toolsAndHelpOptions)('npm run $name prints its usage with $option', async ({ name, option }) => {
  const result = await runTool(name, [option])

  const usage = expect.stringMatching(new RegExp(`^Usage: npm (run )?(--silent )?${name}\\b`))
  expect(result).toEqual({ output: usage, errors: '', exitCode: 0 })
})

it.each(tools)('npm run $name prints the version of the project with --version', async ({ name }) => {
  const result = await runTool(name, ['--version'])

  expect(result).toEqual({ output: `${packageJson.version}\n`, errors: '', exitCode: 0 })
})

it.each(tools)('npm run $name reports an option that it does not have', async ({ name }) => {
  const result = await runTool(name, ['--hlep'])

  // Commander reports a missing option before an unknown one.
  const errors = /^error: (unknown option '--hlep'\n\(Did you mean --help\?\)|required option .*)\n$/
  expect(result).toEqual({ output: '', errors: expect.stringMatching(errors), exitCode: 2 })
})

it.each([
  { name: 'pets', line: 'pet_live_0123456789 --env local', sentence: "unknown command 'pet_live_...'" },
  { name: 'seed', line: '--count 5', sentence: "error: required option '--env <name>' not specified" },
  { name: 'seed', line: '--env loacl --count 5', sentence: 'Allowed choices are local, staging, production.' },
  { name: 'seed', line: '--env local', sentence: 'Give --count N, or --remove.' },
  { name: 'seed', line: '--env local --count 5 --remove', sentence: 'Give --count N, or --remove.' },
  { name: 'start', line: '--port 65536', sentence: 'It must be a whole number from 0 to 65535.' },
])('npm run $name with "$line" says "$sentence"', async ({ name, line, sentence }) => {
  const result = await runTool(name, line.split(' '))

  expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 2 })
})
