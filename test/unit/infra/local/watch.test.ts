import { expect, test } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { watchSources } from '../../../../infra/local/watch.ts'

const applying = '[watch] The sources have changed: applying ...'
const inUse = '[watch] The changed sources are in use.'
const problem = '[watch] pet.ts is broken.\n[watch] The sources from before the change are still in use.'

test('A watch applies each change once its files are written, and goes on after one that is broken', async () => {
  // What each poll sees. The third change is written in several steps.
  const polls = 'first second second broken broken part1 part2 part3 third third first'.split(' ')
  const [lines, applied]: [string[], string[]] = [[], []]
  let seen = ''
  const end = watchSources({
    inUse: 'first',
    stateOf: () => (seen = polls.shift() ?? seen),
    apply: async () => {
      applied.push(seen)
      if (seen === 'broken') throw new UserError('pet.ts is broken.')
    },
    writeLine: (line) => lines.push(line),
  })
  await expect.poll(() => applied, { timeout: 10_000 }).toEqual(['second', 'broken', 'third', 'first'])
  await expect.poll(() => lines).toEqual([inUse, problem, inUse, inUse].flatMap((last) => [applying, last]))
  end()
})
