import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'))

const [, reliability = ''] = /^## Reliability\n(.*?)^## /ms.exec(read('README.md')) ?? []

/** Such as `PET_INTERLEAVINGS=1000 npm test -- --project unit test/unit/shared/a.test.ts`. */
const longRuns = [...reliability.matchAll(/(PET_\w+)=\d+ npm test -- --project (\w+) (test\/\S+\.test\.ts)/g)].map(
  ([, variable = '', project = '', file = '']) => ({ variable, project, file }),
)

it('the README repeats long runs by commands whose files read their variables', () => {
  expect(longRuns).toHaveLength(6)
  for (const { variable, project, file } of longRuns) {
    const folder = new Map([
      ['unit', 'test/unit/shared/'],
      ['infra', 'test/unit/infra/'],
    ]).get(project)
    expect(file.startsWith(folder ?? `test/promises/${project}/`)).toBe(true)
    expect(read(file)).toContain(variable)
  }
})

it('the README names scripts of package.json', () => {
  const named = [...read('README.md').matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name)
  expect(named).toContain('soak')
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})

it('the README says of Retry-After what the contract says, whose sentences test/unit/shared/rate-limit tests', () => {
  const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
  const { description } = readContract().resolve({ $ref: '#/components/headers/Retry-After' })
  const [first, ...others] = inOneLine(String(description)).split('. ')
  expect(others.join('. ')).toContain('provided that no other request of the same API key')
  expect(first).toBe('The whole seconds to wait before the next request')
  expect(inOneLine(read('README.md'))).toContain(others.join('. '))
})
