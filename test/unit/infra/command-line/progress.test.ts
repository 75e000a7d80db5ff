import { expect, it } from 'vitest'
import { progress } from '../../../../infra/command-line/progress.ts'

it.each([
  [20_000, '1,200 of 20,000 pets, 200 a second, 94 s left'],
  [undefined, '1,200 pets, 200 a second'],
])('long work on %s pets is told every five seconds', (all, line) => {
  const told: string[] = []
  let seconds = 100
  const advance = progress(
    all,
    (text) => told.push(text),
    () => seconds,
  )
  for (let second = 0; second < 10; second += 1) {
    seconds += 1
    advance(second < 6 ? 200 : 0)
  }
  expect(told).toHaveLength(2)
  expect(told[0]).toBe(line.replace('1,200', '1,000').replace('94', '95'))
})
