import { expect, it, vi } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import { captureOutput } from '../../../fixtures/commands.ts'

/** The scripts that are programs of ours, and take options. */
const tools = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [, file] = /^node infra\/launch\.cjs ((?:infra|test)\/\S+\.ts)$/.exec(script) ?? []
  return file === undefined || name === 'generate' ? [] : [[name, file] as const]
})

/** By the name of a tool: lines that are mistaken, and what is said of them. */
const mistakes: Readonly<Record<string, readonly (readonly [line: string, sentence: string])[]>> = {
  pets: [['pet_live_0123456789 --env local', "unknown command 'pet_live_...'"]],
  seed: [
    ['--count 5', "error: required option '--env <name>' not specified"],
    ['--env loacl --count 5', 'Allowed choices are local, staging, production.'],
    ['--env local', 'Give --count N, or --remove.'],
    ['--env local --count 5 --remove', 'Give --count N, or --remove.'],
  ],
  cost: [
    ...['0', '1.5', '0x10', 'many', '1e13'].map((n) => [`--requests=${n}`, 'from 1 to 1000000000000.'] as const),
    ...['lits=1', 'list=1,list=1', 'list=2,get=-1'].map((mix) => [`--mix ${mix}`, 'It must be shares of'] as const),
  ],
  start: [['--port 65536', 'It must be a whole number from 0 to 65535.']],
}

it.each(tools)('npm run %s shows its usage with --help, and says what is wrong in a sentence', async (name, file) => {
  let runs = 0
  /** A module runs once for each address that it is imported by. */
  const run = (line: string) => {
    vi.spyOn(process, 'argv', 'get').mockReturnValue([process.execPath, file, ...line.split(' ')])
    runs += 1
    return captureOutput(() => import(/* @vite-ignore */ `../../../../${file}?${runs}`))
  }
  const usage = expect.stringMatching(new RegExp(`^Usage: npm (run )?(--silent )?${name}\\b`))
  expect(await run('--help')).toEqual({ exitCode: 0, output: usage, errors: '' })
  // commander asks for what is required before it looks for what is unknown.
  const unknown = /^error: (unknown option '--hlep'\n\(Did you mean --help\?\)|required option .*)\n$/
  const said: [line: string, errors: unknown][] = [['--hlep', expect.stringMatching(unknown)]]
  for (const [line, sentence] of mistakes[name] ?? []) said.push([line, expect.stringContaining(sentence)])
  for (const [line, errors] of said) expect(await run(line)).toEqual({ exitCode: 1, output: '', errors })
})
