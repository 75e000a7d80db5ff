import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
  const commands = readSection('infra/README.md', 'Restore a table').matchAll(/^ {7}((?:npm run|sed) .*)$/gm)
  return [...commands].map(([, command = '']) =>
    command
      .replace(/ --table \S+| --confirm production/g, '')
      .replace(' --env production', '')
      .replace(/npm run (\w+) --/, (_words, script) => startScript(script)),
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

  // Its commands take as long as all other tests of this folder. The tests of the commands run them in process.
  it.skipIf(!chooseBySize(false, true))('the commands for animals and the audit in infra/README.md work', async () => {
    const commands = ['The animals', 'Who changed it'].flatMap((section) => readCommands('infra/README.md', section))

    const outputs = await runCommands(commands)

    expect(outputs.join('')).toMatch(
      /\b1 new,.*Dry run.*\b1 new,.*\b0 new,.*\b1 changed\..*\b1 restored\..*\d unchanged\..*"action":"pets undo"/s,
    )
  })

  it('the commands in infra/README.md bring back only the pets that were changed or removed by mistake', async () => {
    const [exportNow = '', exportCopy = '', cutCopy = '', dryRun = '', restore = ''] = readRepairCommands()
    const pets = startScript('pets')
    const addPet = (name: string) =>
      `$(${pets} add --name ${name} --category 1 --json | sed 's/.*"id":\\([0-9]*\\).*/\\1/')`
    const folder = mkdtempSync(join(tmpdir(), 'repair-'))

    const outputs = await runCommands([
      `cd '${folder}'; export INIT_CWD='${folder}'`,
      `BELLA=${addPet('Bella')}`,
      `MILO=${addPet('Milo')}`,
      `LUNA=${addPet('Luna')}`,
      exportCopy,
      `${pets} set $BELLA --name Wrong`,
      `${pets} remove $MILO`,
      // This change is no mistake.
      `${pets} set $LUNA --name Right`,
      'printf "%s\\n" $BELLA $MILO > damaged-ids.txt',
      exportNow,
      cutCopy,
      dryRun,
      restore,
      `${pets} show $BELLA $MILO $LUNA`,
    ])

    const [foreseen = '', report = '', shown = ''] = outputs.slice(-3)
    expect(foreseen).toMatch(/^Nothing is changed.*(?<!\d)1 changed, 1 restored\./s)
    expect(report).toMatch(/(?<!\d)1 changed, 1 restored\./)
    expect(shown).toMatch(/"name":"Bella".*"name":"Milo".*"name":"Right"/s)
  })
})
