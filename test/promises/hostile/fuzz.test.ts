import { afterAll, beforeAll, expect, test } from 'vitest'
import { sized } from '../../fixtures/size.ts'
import { type HostileTarget, startTarget } from './environment.ts'
import { fuzz } from './fuzz.ts'

/*
 * PET_FUZZ_REQUESTS=100000 makes it the nightly run: that many requests, others every time, with its progress told.
 * PET_FUZZ_SEED=N repeats a run.
 */
const { PET_FUZZ_REQUESTS: nightly, PET_FUZZ_SEED: seed } = process.env
const count = Number(nightly ?? sized(300, 1_000))
const options = {
  count,
  seed: Number(seed ?? (nightly === undefined ? 20_261_121 : Date.now() % 2 ** 31)),
  lanes: 16,
  report: nightly === undefined ? () => {} : (line: string) => console.error(line),
}

let target: HostileTarget
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

test(`${count} valid, broken and garbage requests get responses of the contract, and lose or add no pet`, {
  timeout: 300_000 + count * 60,
}, async () => {
  options.report(`The seed is ${options.seed}.`)
  const started = performance.now()
  const tally = await fuzz(target, options)
  const seconds = Math.round((performance.now() - started) / 1_000)
  for (const [outcome, times] of [...tally].toSorted()) options.report(`${String(times).padStart(8)}  ${outcome}`)
  options.report(`${seconds} seconds`)
  expect(target.lines).toEqual([])
})
