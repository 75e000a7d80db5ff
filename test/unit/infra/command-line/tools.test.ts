import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** The scripts that are programs of ours, and take options. */
const tools = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [, file] = /^node infra\/launch\.cjs ((?:infra|test)\/\S+\.ts)$/.exec(script) ?? []
  return file === undefined || name === 'generate' ? [] : [[name, file] as const]
})

/** By the name of a tool: lines that are mistaken, and what is said of them. */
const mistakes: Readonly<Record<string, readonly (readonly [line: string, sentence: string])[]>> = {
  keys: [
    ['isue --env local', "error: unknown command 'isue'\n(Did you mean issue?)"],
    ['show --env local', "error: missing required argument 'id'"],
  ],
  pets: [['pet_live_0123456789 --env local', "unknown command 'pet_live_...'"]],
  seed: [
    ['--count 5', "error: required option '--env <name>' not specified"],
    ['--env loacl --count 5', 'Allowed choices are local, staging, production.'],
    ['--env local --count', "error: option '--count <n>' argument missing"],
    ['--env local', 'Give --count N, or --remove.'],
    ['--env local --count 5 --remove', 'Give --count N, or --remove.'],
  ],
  cost: [
    ...['0', '1.5', '0x10', 'many', '1e13'].map((n) => [`--requests=${n}`, 'from 1 to 1000000000000.'] as const),
    ...['lits=1', 'list=1,list=1', 'list=2,get=-1'].map((mix) => [`--mix ${mix}`, 'It must be shares of'] as const),
  ],
  start: [['--port 65536', 'It must be a whole number from 0 to 65535.']],
}

/** Runs a tool anew for each line, in one process, which loads what the tool imports once. */
const program = `
  const [file, ...lines] = process.argv.slice(1)
  const runs = []
  for (const line of lines) {
    const run = { output: '', errors: '' }
    process.stdout.write = (text) => (run.output += text) !== ''
    process.stderr.write = (text) => (run.errors += text) !== ''
    process.argv = [process.execPath, file, ...line.split(' ').filter((word) => word !== '')]
    process.exitCode = 0
    await import('file://' + file + '?' + runs.length)
    runs.push({ ...run, code: process.exitCode })
  }
  process.exitCode = 0
  delete process.stdout.write
  console.log(JSON.stringify(runs))`

it.each(tools)('npm run %s shows its usage with --help, and says what is wrong in a sentence', (name, file) => {
  const own = [...(mistakes[name] ?? [])]
  const words = ['--input-type=module', '-e', program, root + file, '--help', '--hlep', ...own.map(([line]) => line)]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect(stderr).toBe('')
  const usage = expect.stringMatching(new RegExp(`^Usage: npm (run )?(--silent )?${name}\\b`))
  // commander asks for what is required before it looks for what is unknown.
  const unknown = /^error: (unknown option '--hlep'\n\(Did you mean --help\?\)|required option .*)\n$/
  const said = [expect.stringMatching(unknown), ...own.map(([, sentence]) => expect.stringContaining(sentence))]
  const refusals = said.map((errors) => ({ code: 1, output: '', errors }))
  expect(JSON.parse(stdout)).toEqual([{ code: 0, output: usage, errors: '' }, ...refusals])
})
