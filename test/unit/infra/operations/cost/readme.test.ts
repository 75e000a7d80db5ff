import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../../../../', import.meta.url)

it('infra/README.md shows what the cost command prints', () => {
  const readme = readFileSync(new URL('infra/README.md', root), 'utf8')
  const [, words = '', shown = ''] = /npm run cost -- (--requests 1e6 .*)\n\n```text\n(.*?)\n```/s.exec(readme) ?? []
  const printed = execFileSync(process.execPath, ['infra/operations/cost/cost.ts', ...words.split(' ')], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(printed.split('\n\nAssumed:')[0]).toBe(shown)
})
