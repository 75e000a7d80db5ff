import { expect, test } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { watchSources } from '../../../../infra/local/watch.ts'

const applying = '[watch] The sources have changed: applying ...'
const inUse = '[watch] The changed sources are in use.'
const problem = '[watch] pet.ts is broken.\n[watch] The sources from before the change are still in use.'

test('A watch applies each change once its files are written, and goes on after one that is broken', async () => {
  let sources = 'first'
  const lines: string[] = []
  const applied: string[] = []
  let polls = 0
  let seen = sources
  const end = watchSources({
    inUse: 'first',
    // Each poll of the third one sees another part of it.
    stateOf: () => {
      seen = sources === 'third' && polls++ < 3 ? `part ${polls}` : sources
      return seen
    },
    apply: async () => {
      applied.push(seen)
      if (sources === 'broken') throw new UserError('pet.ts is broken.')
    },
    writeLine: (line) => lines.push(line),
  })
  for (const [next, last] of [
    ['second', inUse],
    ['broken', problem],
    ['third', inUse],
    ['first', inUse],
  ] as const) {
    sources = next
    await expect.poll(() => lines.splice(0, 2), { timeout: 5_000 }).toEqual([applying, last])
  }
  expect(applied).toEqual(['second', 'broken', 'third', 'first'])
  end()
})
