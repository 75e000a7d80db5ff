import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
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

/** Reads the code blocks of a section of a document, and aims their commands at the environment under test. */
const readCommands = (document: string, section: string): readonly string[] => {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8')
  const sectionText = text.split(/^## /m).find((part) => part.startsWith(section)) ?? ''
  const codeBlocks = sectionText.matchAll(/^```sh[^\n]*\n(.*?)^```$/gms)
  return [...codeBlocks].map(([, commands = '']) =>
    commands
      .replaceAll('http://127.0.0.1:3000/v1', baseUrl)
      .replaceAll('--env local', `--env local --data '${dataFolder}'`)
      // Starts the script itself, without a process for npm and one for the launcher.
      .replaceAll(/npm run --silent (\w+) --/g, `'${process.execPath}' infra/operations/$1/$1.ts`),
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

  it('the commands for the animals in infra/README.md work', async () => {
    const outputs = await runCommands(readCommands('infra/README.md', 'The animals'))

    expect(outputs.join('')).toMatch(/\b2 created.*\b1 changed.*\b1 removed.*\b1 restored/s)
  })
})
