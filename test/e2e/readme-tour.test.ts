import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { chooseBySize } from '../fixtures/size.ts'
import { hasCurl, runProgram } from '../unit/infra/reference/clients/programs.ts'
import { baseUrl, dataFolder, itWithinOneMinute } from './api.ts'

/** Line that separates the outputs of two commands. */
const separator = '----'

/**
 * Runs commands until one of them fails.
 *
 * @returns the output of each command
 * @throws Error with the output of the command that fails
 */
const runCommands = async (commands: readonly string[]): Promise<readonly string[]> => {
  // An output may not end with a line break, so an empty `echo` comes before the separator.
  const script = commands.join(`\necho; echo ${separator}\n`)
  const output = await runProgram('bash', ['-euo', 'pipefail', '-c', script])
  return output.split(`${separator}\n`)
}

const readSection = (document: string, section: string): string => {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8')
  return text.split(/^## /m).find((part) => part.startsWith(section)) ?? ''
}

/** Reads the code blocks of a section of a document, and aims their commands at the environment under test. */
const readCommands = (document: string, section: string): readonly string[] => {
  const codeBlocks = readSection(document, section).matchAll(/^```sh[^\n]*\n(.*?)^```$/gms)
  return [...codeBlocks].map(([, commands = '']) =>
    commands
      .replaceAll('http://127.0.0.1:3000/v1', baseUrl)
      .replaceAll('--env local', `--env local --data '${dataFolder}'`)
      // Starts the script itself, without a process for npm and one for the launcher.
      .replaceAll(/npm run --silent (\w+) --/g, `'${process.execPath}' infra/operations/$1/$1.ts`),
  )
}

/** Words that start a script of the project on the environment under test, from any folder. */
const startScript = (script: string): string => {
  const program = fileURLToPath(new URL(`../../infra/operations/${script}/${script}.ts`, import.meta.url))
  return `'${process.execPath}' '${program}' --env local --data '${resolve(dataFolder ?? '')}'`
}

/**
 * Reads the commands that repair pets after a mistake, and aims them at the environment under test. An export takes the
 * place of the restored copy of the table, as the guide says.
 */
const readRepairCommands = (): readonly string[] => {
  const [repair = ''] = readSection('infra/README.md', 'Restore a table').split('An export does not know')
  const commands = repair.matchAll(/^ {7}((?:npm run|sed|grep) .*)$/gm)
  return [...commands].map(([, command = '']) =>
    command
      .replace(/ --table \S+| --confirm production/g, '')
      .replace(' --env production', '')
      .replace('alice', userInfo().username)
      .replace(/npm run (?:--silent )?(\w+) --/, (_words, script) => startScript(script)),
  )
}

describe.skipIf(dataFolder === undefined || !hasCurl())('the documentation', () => {
  itWithinOneMinute('the commands of the tour in README.md do what it says', async () => {
    const outputs = await runCommands(readCommands('README.md', 'A tour'))

    const [settings, list = '', filtered = '', nextPage = '', created = '', found = '', limited = ''] = outputs
    expect(settings, 'the first commands only set variables').toBe('\n')
    expect(list).toContain('X-RateLimit-Remaining: ')
    expect(list).toContain('rel="next"')
    expect(filtered).toContain('"status":"pending"')
    expect(nextPage).toMatch(/^\[\{"id":/)
    expect(created).toContain('HTTP/1.1 201')
    expect(created).toContain('"categoryId":1,')
    expect(found).toContain('Sunset: Thu, 05 Dec 2030 00:00:00 GMT')
    // The command prints a dot for each request that is admitted.
    expect(limited.match(/^\.+$/m)?.[0].length).toBeGreaterThanOrEqual(fixedPlans.free.perMinute)
    expect(limited).toContain('HTTP/1.1 429 Too Many Requests')
    expect(limited).toMatch(/Retry-After: \d+/)
  })

  it('the commands for API keys in infra/README.md work', async () => {
    const outputs = await runCommands(readCommands('infra/README.md', 'API keys'))

    expect(outputs.join('')).toMatch(/City shelter.*\npet_test_[0-9A-Za-z]{38}\n/s)
  })

  // Its eleven commands take as long as all other tests of this folder. The tests of the commands run them in process.
  it.skipIf(!chooseBySize(false, true))('the commands for the animals in infra/README.md work', async () => {
    const outputs = await runCommands(readCommands('infra/README.md', 'The animals'))

    expect(outputs.join('')).toMatch(/\b2 created.*\b1 changed.*\b1 removed.*\b1 restored/s)
  })

  it('the commands in infra/README.md bring back only the pets that were changed or removed by mistake', async () => {
    const [exportNow = '', exportCopy = '', readAudit = '', ...cutAndImport] = readRepairCommands()
    const pets = startScript('pets')
    const folder = mkdtempSync(join(tmpdir(), 'repair-'))
    writeFileSync(join(folder, 'new.csv'), 'name,categoryId\nBella,1\nMilo,1\nLuna,1\n')

    const outputs = await runCommands([
      `cd '${folder}'; export INIT_CWD='${folder}'`,
      `${pets} import new.csv --out added.csv`,
      exportCopy,
      `BELLA=$(sed -n '2s/,.*//p' added.csv)`,
      `MILO=$(sed -n '3s/,.*//p' added.csv)`,
      `LUNA=$(sed -n '4s/,.*//p' added.csv)`,
      `${pets} set $BELLA --name Wrong`,
      `${pets} remove $MILO`,
      `${pets} set $LUNA --name Right`,
      exportNow,
      readAudit,
      // Somebody else has changed Luna. Here all changes are by the user who runs the tests.
      'grep -v "$LUNA" mistakes.jsonl > mistakes-of-alice.jsonl',
      'mv mistakes-of-alice.jsonl mistakes.jsonl',
      ...cutAndImport,
      `${pets} show $BELLA $MILO $LUNA`,
    ])

    expect(cutAndImport.filter((command) => /^(sed|grep) /.test(command))).toHaveLength(2)
    const [dryRun = '', report = '', shown = ''] = outputs.slice(-3)
    expect(dryRun).toMatch(/^Nothing is written.*(?<!\d)1 changed, 1 restored/s)
    expect(report).toMatch(/(?<!\d)1 changed, 1 restored/)
    expect(shown).toMatch(/"name":"Bella".*"name":"Milo".*"name":"Right"/s)
  })
})
