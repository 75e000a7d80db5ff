import { expect, it } from 'vitest'
import { contractFile, readContract } from '../../../../infra/contract/contract.ts'
import { lint, sunsets } from '../../../../infra/contract/lint.ts'

it('the contract follows every rule of infra/contract/redocly.yaml', async () => {
  expect(await lint(contractFile)).toEqual([])
})

it.each([
  ['2030-09-05T23:59:59Z', []],
  ['2030-09-06T00:00:00Z', ['getPet responds 404 from 2030-12-05 on: tell its callers, then remove it.']],
  ['2031-06-01T00:00:00Z', ['getPet responds 404 from 2030-12-05 on: tell its callers, then remove it.']],
])('at %s the sunsets to announce are %j', (time, sentences) => {
  expect(sunsets(readContract().operations, Date.parse(time))).toEqual(sentences)
})
