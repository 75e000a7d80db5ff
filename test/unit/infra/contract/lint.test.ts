import { beforeAll, describe, expect, it } from 'vitest'
import { contractFile } from '../../../../infra/contract/contract.ts'
import { type Finding, isAt, isExpected, lint } from '../../../../infra/contract/lint.ts'
import { exceptions } from '../../../../infra/contract/lint-exceptions.ts'

let findings: readonly Finding[]
beforeAll(async () => {
  findings = await lint(contractFile)
})

describe('the contract', () => {
  it('follows every rule of Redocly, Spectral and OWASP, but for the exceptions in infra/contract/lint-exceptions.ts', () => {
    expect(findings.filter((finding) => !isExpected(finding))).toEqual([])
  })

  it.each(exceptions.flatMap(({ rule, places }) => places.map((place) => [rule, place] as const)))(
    'needs the exception from %s at %s',
    (rule, place) => {
      expect(findings.some((finding) => isAt(finding, rule, place))).toBe(true)
    },
  )
})
