import { expect, it } from 'vitest'
import { pairLines, parseLines } from '../../../../../infra/operations/audit/pair-lines.ts'
import type { WrittenLine } from '../../../../../infra/operations/audit/read-lines.ts'
import type { AuditLine } from '../../../../../infra/operations/environment/audit.ts'

/** Creates a line of a change whose id is a letter. */
const createLine = (changeId: string, outcome: AuditLine['outcome']): AuditLine => ({
  time: '2026-11-02T12:00:10.000Z',
  who: 'alice',
  environment: 'local',
  action: 'pets set',
  ids: ['5'],
  old: { status: 'available' },
  new: { status: 'sold' },
  changeId,
  outcome,
})

async function* listAll<Item>(items: readonly Item[]) {
  yield* items
}

const pair = (...lines: readonly AuditLine[]) => Array.fromAsync(pairLines(listAll(lines)))

it('the two lines of a change are one change with its outcome', async () => {
  const changes = await pair(createLine('a', 'begun'), createLine('a', 'done'))

  expect(changes).toEqual([{ ...createLine('a', 'done') }])
})

it('lines of several changes are paired by the ids of the changes', async () => {
  const changes = await pair(
    createLine('a', 'begun'),
    createLine('b', 'begun'),
    createLine('b', 'failed'),
    createLine('a', 'unknown'),
  )

  expect(changes).toMatchObject([
    { changeId: 'b', outcome: 'failed' },
    { changeId: 'a', outcome: 'unknown' },
  ])
})

it('a change without a second line is unfinished, and comes last', async () => {
  const changes = await pair(createLine('a', 'begun'), createLine('b', 'begun'), createLine('b', 'done'))

  expect(changes).toMatchObject([
    { changeId: 'b', outcome: 'done' },
    { changeId: 'a', outcome: 'unfinished' },
  ])
})

it('a change whose second line comes first is not unfinished', async () => {
  const changes = await pair(createLine('a', 'done'), createLine('a', 'begun'))

  expect(changes).toMatchObject([{ changeId: 'a', outcome: 'done' }])
})

it('a torn line is set apart', async () => {
  const whole = { text: JSON.stringify(createLine('a', 'done')), place: 'line 1' }
  const torn = { text: whole.text.slice(0, 50), place: 'line 2' }
  const unreadable: WrittenLine[] = []

  const lines = await Array.fromAsync(parseLines(listAll([whole, torn]), (line) => unreadable.push(line)))

  expect(lines).toMatchObject([{ changeId: 'a', outcome: 'done' }])
  expect(unreadable).toEqual([torn])
})

it.each(['{}', 'null', '5', '""', '{"time":"2026-11-02T12:00:10.000Z"}'])(
  'the line %s is no line of the audit',
  async (text) => {
    const unreadable: WrittenLine[] = []

    const lines = await Array.fromAsync(parseLines(listAll([{ text, place: '' }]), (line) => unreadable.push(line)))

    expect(lines).toEqual([])
    expect(unreadable).toHaveLength(1)
  },
)
