import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { hasCurl, runProgram } from '../unit/infra/reference/clients/programs.ts'
import { baseUrl, dataFolder, itWithinOneMinute } from './api.ts'

/** Runs commands until one fails. @throws Error with what it wrote */
const bash = (commands: readonly string[]): Promise<string> =>
  runProgram('bash', ['-euo', 'pipefail', '-c', commands.join('\necho; echo ----\n')])

/** The fenced commands of a section, aimed at the environment under test. */
const commandsOf = (document: string, section: string): string[] => {
  const readme = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8')
  const text = readme.split(/^## /m).find((part) => part.startsWith(section)) ?? ''
  return [...text.matchAll(/^```sh[^\n]*\n(.*?)^```$/gms)].map(([, commands = '']) =>
    commands
      .replaceAll('http://127.0.0.1:3000/v1', baseUrl)
      .replaceAll('--env local', `--env local --data '${dataFolder}'`)
      // What npm starts, without the processes of npm and of the launcher for each.
      .replaceAll(/npm run --silent (\w+) --/g, `'${process.execPath}' infra/operations/$1/$1.ts`),
  )
}

describe.skipIf(dataFolder === undefined || !hasCurl())('the documentation', () => {
  itWithinOneMinute('has a tour whose commands do what it says', async () => {
    const output = await bash(commandsOf('README.md', 'A tour'))
    const [, list = '', filtered = '', next = '', created = '', got = '', limited = ''] = output.split('----\n')
    expect(list).toContain('X-RateLimit-Remaining: ')
    expect(list).toContain('rel="next"')
    expect(filtered).toContain('"status":"pending"')
    expect(next).toMatch(/^\[\{"id":/)
    expect(created).toContain('HTTP/1.1 201')
    expect(created).toContain('"categoryId":1,')
    expect(got).toContain('Sunset: Thu, 05 Dec 2030 00:00:00 GMT')
    expect(limited.match(/^\.+$/m)?.[0].length).toBeGreaterThanOrEqual(fixedPlans.free.perMinute)
    expect(limited).toContain('HTTP/1.1 429 Too Many Requests')
    expect(limited).toMatch(/Retry-After: \d+/)
  })

  it.each([
    ['keys', 'API keys', /City shelter.*\npet_test_[0-9A-Za-z]{38}\n/s],
    ['the animals', 'The animals', /\b2 created.*\b1 changed.*\b1 removed.*\b1 restored/s],
  ])('shows commands for %s that work', async (_what, section, result) => {
    expect(await bash(commandsOf('infra/README.md', section))).toMatch(result)
  })
})
