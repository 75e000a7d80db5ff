import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const readme = read('README.md')

it('the README says of Retry-After what the contract says, whose sentences test/unit/shared/rate-limit tests', () => {
  const description = readContract().document.components.headers['Retry-After']?.description
  const [first, ...others] = inOneLine(String(description)).split('. ')
  expect(others.join('. ')).toContain('if no other request with the same API key')
  expect(first).toBe('How many seconds to wait before the next request')
  expect(inOneLine(readme)).toContain(others.join('. '))
})

it.each(Object.entries(fixedPlans))('the README has the limits of the plan %s', (plan, { perMinute, perDay }) => {
  const [minute, day] = [perMinute, perDay].map((requests) => requests.toLocaleString('en-US'))
  expect(readme.toLowerCase(), 'Run npm run generate.').toContain(`| ${plan} | ${minute} | ${day} |`)
})

it('the README lists the operations of the contract', () => {
  const listed = [...readme.matchAll(/^\| `([A-Z]+ \/\S+)` \|/gm)].map(([, operation]) => operation)
  expect(listed.sort(), 'Run npm run generate.').toEqual(
    readContract()
      .operations.map(({ method, path }) => `${method} ${path}`)
      .sort(),
  )
})

it('the nightly sizes are run by commands whose files read their variables', () => {
  const runs = [...read('test/README.md').matchAll(/(PET_\w+)=\d+ npm test -- (test\/\S+\.test\.ts)/g)]
  expect(runs.length).toBeGreaterThan(4)
  for (const [, variable = '', file = ''] of runs) expect(read(file)).toContain(variable)
})
