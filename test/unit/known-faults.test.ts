import { expect, it } from 'vitest'
import { findMistakes, knownFaults } from '../mutation/known-faults/known-faults.ts'

it('each known fault has its text once in its file, and its test file exists', () => {
  expect(knownFaults.flatMap(findMistakes)).toEqual([])
})

it('each known fault has a title of its own', () => {
  const titles = knownFaults.map(({ title }) => title)

  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})

const fault = { part: 'pets', title: 'a list is empty', file: 'shared/clock.ts', replaceBy: '', test: 'test/setup.ts' }

it.each([
  { change: { find: 'no such text' }, mistake: 'shared/clock.ts has the text 0 times' },
  { change: { find: 'e' }, mistake: /shared\/clock.ts has the text \d+ times/ },
  { change: { find: '', test: 'test/none.ts' }, mistake: 'there is no test/none.ts' },
  { change: { find: '', file: 'shared/none.ts' }, mistake: 'there is no shared/none.ts' },
])('a known fault with $change is a mistake', ({ change, mistake }) => {
  expect(findMistakes({ ...fault, ...change }).join('\n')).toMatch(mistake)
})
