import { beforeAll, describe, expect, it } from 'vitest'
import { contractFile } from '../../../../infra/contract/contract.ts'
import { exceptions } from './exceptions.ts'
import { type Finding, lint } from './lint.ts'

let findings: readonly Finding[]
beforeAll(async () => {
  findings = await lint(contractFile)
})

const isAt = (finding: Finding, rule: string, place: string) => finding.rule === rule && finding.place === place

describe('the contract', () => {
  it('follows every rule of Redocly, Spectral and OWASP, but for the exceptions', () => {
    const unexpected = findings.filter(
      (finding) => !exceptions.some(({ rule, places }) => places.some((place) => isAt(finding, rule, place))),
    )
    expect(unexpected).toEqual([])
  })

  it.each(exceptions.flatMap(({ rule, places }) => places.map((place) => [rule, place] as const)))(
    'needs the exception from %s at %s',
    (rule, place) => {
      expect(findings.some((finding) => isAt(finding, rule, place))).toBe(true)
    },
  )
})
