import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { skipsWithout } from '../fixtures/size.ts'
import { baseUrl, dataFolder, withinOneMinute } from './api.ts'

interface Run {
  readonly exitCode: number
  readonly output: string
}

const bash = (script: string): Promise<Run> =>
  new Promise((resolve) => {
    execFile('bash', ['-euo', 'pipefail', '-c', script], { timeout: 300_000 }, (error, output, errors) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: output + errors }),
    )
  })

/** The fenced commands of a section, aimed at the environment under test. */
const commandsOf = (document: string, section: string): string[] => {
  const readme = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8')
  const text = readme.split(/^## /m).find((part) => part.startsWith(section)) ?? ''
  return [...text.matchAll(/^```sh[^\n]*\n(.*?)^```$/gms)].map(([, commands = '']) =>
    commands
      .replaceAll('http://127.0.0.1:3000/v1', baseUrl)
      .replaceAll('--env local', `--env local --data '${dataFolder}'`),
  )
}

const isWithoutCurl =
  dataFolder !== null &&
  skipsWithout(
    (await bash('curl --version')).exitCode === 0,
    'The commands of the documents do not run: there is no bash or no curl.',
  )

describe.skipIf(dataFolder === null || isWithoutCurl)('the documentation', () => {
  it(
    'has a tour whose commands do what it says',
    withinOneMinute(async () => {
      const commands = commandsOf('README.md', 'A tour')
      const { exitCode, output } = await bash(commands.join('\necho; echo ----\n'))
      const [, list = '', filtered = '', next = '', created = '', got = '', limited = ''] = output.split('----\n')
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 })
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
    }),
  )

  it('shows commands for keys that work', async () => {
    const { exitCode, output } = await bash(commandsOf('infra/README.md', 'API keys').join('\n'))
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 })
    expect(output).toMatch(/City shelter.*\npet_test_[0-9A-Za-z]{38}\n/s)
  })

  it('shows commands for the animals that work', async () => {
    const { exitCode, output } = await bash(commandsOf('infra/README.md', 'The animals').join('\n'))
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 })
    expect(output).toMatch(/\b2 created.*\b1 changed.*\b1 removed.*\b1 restored/s)
  })
})
