import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sized } from '../../../fixtures/size.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

const tools = {
  keys: 'infra/operations/keys/keys.ts',
  seed: 'infra/operations/seed/seed.ts',
  cost: 'infra/operations/cost/cost.ts',
  smoke: 'infra/operations/smoke/smoke.ts',
  start: 'infra/local/start.ts',
  invoke: 'infra/local/invoke.ts',
  sam: 'infra/local/sam/sam.ts',
  bench: 'test/bench/bench.ts',
  soak: 'test/promises/soak/soak.ts',
  scan: '.ci/scan.ts',
  licences: '.ci/licences.ts',
} as const

type Tool = keyof typeof tools

const run = (tool: Tool, line: string) =>
  new Promise<{ code: number | string | null | undefined; output: string; errors: string }>((resolve) => {
    const words = line.split(' ').filter((word) => word !== '')
    execFile(process.execPath, [tools[tool], ...words], { cwd: root }, (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output, errors }),
    )
  })

const mistakes: readonly (readonly [Tool, string, string])[] = [
  ['keys', 'list --evn local', "Unknown option '--evn'. Did you mean --env?"],
  ['keys', 'issue --env local --ownr x', "Unknown option '--ownr'. Did you mean --owner?"],
  ['keys', 'isue --env local', "Unknown command 'isue'. Did you mean issue?"],
  ['keys', 'list --env stagin', 'It must be local, staging or production. Did you mean staging?'],
  ['keys', 'issue --env local --plan fre', 'It must be free, pro, business or enterprise. Did you mean free?'],
  ['keys', 'issue --env local --owner', "Option '--owner <name>' argument missing."],
  ['keys', 'show --env local', "Missing required argument 'id'."],
  ['seed', '--env local --cuont 5', "Unknown option '--cuont'. Did you mean --count?"],
  ['seed', '--env loacl --count 5', 'Did you mean local?'],
  ['seed', '--env local --count', "Option '--count <n>' argument missing."],
  ['cost', '--request 1e6', "Unknown option '--request'. Did you mean --requests?"],
  ['cost', '--requests 1e6 --mix lits=1', 'Did you mean list?'],
  ['cost', '--requests 1e6 --env prodution', 'It must be staging or production. Did you mean production?'],
  ['smoke', '--env staging --ony x', "Unknown option '--ony'. Did you mean --only?"],
  ['smoke', '--env stagng', 'Did you mean staging?'],
  ['start', '--prot 3000', "Unknown option '--prot'. Did you mean --port?"],
  ['start', '--engine dynalit', 'Did you mean dynalite?'],
  ['start', '--port 65536', 'It must be a whole number from 0 to 65535.'],
  ['invoke', 'list-pets test/events/list-pets.json --dta x', "Unknown option '--dta'. Did you mean --data?"],
  ['invoke', 'list-pets', "Missing required argument 'event'."],
  ['sam', '--dta x invoke', "Unknown option '--dta'. Did you mean --data?"],
  ['sam', '--data /nowhere invoke', 'No local environment runs on the data folder /nowhere.'],
  ['bench', '--onyl cold', "Unknown option '--onyl'. Did you mean --only?"],
  ['bench', '--only wrm', 'Did you mean warm?'],
  ['soak', '--minuts 1', "Unknown option '--minuts'. Did you mean --minutes?"],
  ['scan', '--hlep', "Unknown option '--hlep'. Did you mean --help?"],
  ['licences', '--jsn', "Unknown option '--jsn'. Did you mean --json?"],
  ['licences', 'all', 'Too many arguments. Expected 0 arguments but got 1: all.'],
]

/** The first of each tool. */
const first = mistakes.filter(([tool], index) => mistakes.findIndex(([other]) => other === tool) === index)

describe('a mistake on the command line', () => {
  it.each(sized(first, mistakes))(
    'of %s ends it with 1 and one line that names the right word: %s',
    async (tool, line, sentence) => {
      const { code, output, errors } = await run(tool, line)
      expect(errors).toContain(sentence)
      expect(errors.trimEnd().split('\n')).toHaveLength(1)
      expect({ code, output }).toEqual({ code: 1, output: '' })
    },
  )

  it('that leaves out the action shows the actions', async () => {
    const { code, errors } = await run('keys', '')
    expect(errors).toMatch(/^Usage: npm run --silent keys.*revoke .*\nName one of these commands\.\n$/s)
    expect(code).toBe(1)
  })
})

it.each(Object.keys(tools) as Tool[])('%s --help shows the usage and ends with 0', async (tool) => {
  const { code, output, errors } = await run(tool, '--help')
  expect(output).toMatch(new RegExp(`^Usage: npm (run )?(--silent )?${tool}\\b`))
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
})

it('npm test names the projects that there are, for one that does not exist', () => {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'infar']
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/There is no project infar\. Did you mean infra\? There are unit, /),
  ])
})
