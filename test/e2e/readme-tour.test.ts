import { expect, it } from 'vitest'
import { openShell, readShellBlocks } from '../fixtures/commands/documented-commands.ts'
import { hasCurl } from '../fixtures/machine/programs.ts'
import { waitIfDayEndsSoon } from '../fixtures/service/clock.ts'
import { baseUrl, dataFolder } from './api.ts'

/** Limit of the tour's key, per minute and per day: if a minute ends during the tour, that of the day refuses. */
const limit = 5

it('the commands of the tour in README.md do what it says', async ({ skip }) => {
  if (dataFolder === undefined || !hasCurl()) return skip()

  await waitIfDayEndsSoon()
  const commands = readShellBlocks('README.md', 'A tour').map((command) =>
    command
      .replaceAll('http://127.0.0.1:3000/v1', baseUrl)
      // The limit of the plan Free would take sixty requests.
      .replace('--plan free', `--plan enterprise --per-minute ${limit} --per-day ${limit}`),
  )
  const { run } = await openShell(dataFolder)

  const [settings, list, filtered, nextPage, created, found, limited = ''] = await run(commands)

  expect(settings, 'the first commands only set variables').toBe('\n')
  expect(list).toContain('X-RateLimit-Remaining: ')
  expect(list).toContain('rel="next"')
  expect(filtered).toContain('"status":"pending"')
  expect(nextPage).toMatch(/^\[\{"id":/)
  expect(created).toContain('HTTP/1.1 201')
  expect(created).toContain('"categoryId":1,')
  expect(found).toContain('Sunset: Thu, 05 Dec 2030 00:00:00 GMT')
  // The command prints a dot for each request that is admitted.
  expect(limited.match(/^\.+$/m)?.[0]).toHaveLength(limit)
  expect(limited).toContain('HTTP/1.1 429 Too Many Requests')
  expect(limited).toMatch(/Retry-After: \d+/)
})
