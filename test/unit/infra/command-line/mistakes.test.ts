import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Each tool, with lines that are mistaken and what the tool says about them. */
const tools: Readonly<Record<string, readonly [file: string, ...(readonly [line: string, sentence: string])[]]>> = {
  keys: [
    'infra/operations/keys/keys.ts',
    ['list --env local --ownr x', "error: unknown option '--ownr'\n(Did you mean --owner?)"],
    ['list --evn local', "error: required option '--env <name>' not specified"],
    ['isue --env local', "error: unknown command 'isue'\n(Did you mean issue?)"],
    ['list --env stagin', 'Allowed choices are local, staging, production.'],
    ['issue --env local --plan fre', 'Allowed choices are free, pro, business, enterprise.'],
    ['issue --env local --owner', "error: option '--owner <name>' argument missing"],
    ['show --env local', "error: missing required argument 'id'"],
  ],
  pets: [
    'infra/operations/pets/pets.ts',
    ['shwo 5 --env local', "error: unknown command 'shwo'\n(Did you mean show?)"],
    ['show 5 --env staging --data x', '--env staging does not take --data.'],
  ],
  seed: [
    'infra/operations/seed/seed.ts',
    ['--env local --cuont 5', "error: unknown option '--cuont'\n(Did you mean --count?)"],
    ['--env loacl --count 5', 'Allowed choices are local, staging, production.'],
    ['--count 5', "error: required option '--env <name>' not specified"],
    ['--env local --count', "error: option '--count <n>' argument missing"],
    ['--env local', 'Give --count N, or --remove.'],
    ['--env local --count 5 --remove', 'Give --count N, or --remove.'],
    ['--env production --count 5', 'This changes production. If that is meant, add --confirm production.'],
  ],
  cost: [
    'infra/operations/cost/cost.ts',
    ['--request 1e6', "error: unknown option '--request'\n(Did you mean --requests?)"],
    ['--requests 0', 'It must be a whole number from 1 to 1000000000000.'],
    ['--mix lits=1', 'It must be shares of list, get, create, refused, unauthorized, unknown that add up to 1'],
    ['--mix list=0.5', 'that add up to 1'],
    ['--mix list=0.5,list=0.5', 'that add up to 1'],
    ['--mix list=2,get=-1', 'that add up to 1'],
    ['--env prodution', 'Allowed choices are production, small, staging.'],
  ],
  smoke: [
    'infra/operations/smoke/smoke.ts',
    ['--env staging --ony x', "error: unknown option '--ony'\n(Did you mean --only?)"],
    ['--env stagng', 'Did you mean staging?'],
  ],
  start: [
    'infra/local/start.ts',
    ['--prot 3000', "error: unknown option '--prot'\n(Did you mean --port?)"],
    ['--dynamodb 127.0.0.1:8000', 'It must be a URL, such as http://127.0.0.1:8000.'],
    ['--port 65536', 'It must be a whole number from 0 to 65535.'],
  ],
  invoke: [
    'infra/local/invoke.ts',
    ['list-pets test/events/list-pets.json --dta x', "error: unknown option '--dta'\n(Did you mean --data?)"],
    ['list-pets', "error: missing required argument 'event'"],
  ],
  sam: [
    'infra/local/sam/sam.ts',
    ['--dta x invoke', "error: unknown option '--dta'\n(Did you mean --data?)"],
    ['--data /nowhere invoke', 'No local environment runs on the data folder /nowhere.'],
  ],
  bench: [
    'test/bench/bench.ts',
    ['--onyl cold', "error: unknown option '--onyl'\n(Did you mean --only?)"],
    ['--only wrm', 'Did you mean warm?'],
  ],
  soak: ['test/promises/soak/soak.ts', ['--minuts 1', "error: unknown option '--minuts'\n(Did you mean --minutes?)"]],
  scan: ['.ci/scan.ts', ['--hlep', "error: unknown option '--hlep'\n(Did you mean --help?)"]],
  licences: [
    '.ci/licences.ts',
    ['--jsn', "error: unknown option '--jsn'\n(Did you mean --json?)"],
    ['all', 'error: too many arguments. Expected 0 arguments but got 1: all.'],
  ],
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

const runAll = (file: string, ...lines: readonly string[]): readonly unknown[] => {
  const words = ['--input-type=module', '-e', program, root + file, ...lines]
  return JSON.parse(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' }))
}

describe.each(Object.entries(tools))('%s', (tool, [file, ...mistakes]) => {
  const [help, ...runs] = runAll(file, '--help', ...mistakes.map(([line]) => line))

  it('shows its usage with --help and ends with 0', () => {
    const output = expect.stringMatching(new RegExp(`^Usage: npm (run )?(--silent )?${tool}\\b`))
    expect(help).toEqual({ code: 0, output, errors: '' })
  })

  it.each(mistakes.map(([line, sentence], index) => [line, sentence, runs[index]]))(
    'ends with 1 and a sentence that says what is wrong: %s',
    (_line, sentence, run) => {
      expect(run).toEqual({ code: 1, output: '', errors: expect.stringMatching(/^.*\n(\(.*\n)?$/) })
      expect(run).toMatchObject({ errors: expect.stringContaining(String(sentence)) })
    },
  )
})

it('keys without an action shows the actions', () => {
  const errors = expect.stringMatching(/^Usage: npm run --silent keys.*revoke /s)
  expect(runAll('infra/operations/keys/keys.ts', '')).toEqual([{ code: 1, output: '', errors }])
})

it('npm test names the projects that there are, for one that does not exist', () => {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'promisse']
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/There is no project promisse\. Did you mean promises\? There are unit, /),
  ])
})
