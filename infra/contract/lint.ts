import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import owasp from '@stoplight/spectral-owasp-ruleset'
import spectralParsers from '@stoplight/spectral-parsers'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { exceptions } from './lint-exceptions.ts'

/** What a linter finds in the contract. */
export interface Finding {
  /** `redocly:`, `oas:` or `owasp:`, and the rule. */
  readonly rule: string
  /** A JSON pointer into the document. */
  readonly place: string
  readonly message: string
}

/** What Redocly, Spectral and Spectral's OWASP rules find, with every rule that they have turned on. */
export const lint = async (contract: URL): Promise<readonly Finding[]> => {
  const file = fileURLToPath(contract)
  const source = readFileSync(file, 'utf8')
  const findings = await Promise.all([
    lintWithRedocly(source, file),
    lintWithSpectral(source, file, spectralRulesets.oas, 'oas:'),
    lintWithSpectral(source, file, owasp, ''),
  ])
  return findings.flat()
}

/** Whether an exception covers it. */
export const isExpected = (finding: Finding): boolean =>
  exceptions.some(({ rule, places }) => places.some((place) => isAt(finding, rule, place)))

/** @param place may have `*` for any one key */
export const isAt = (finding: Finding, rule: string, place: string): boolean => {
  const keys = finding.place.split('/')
  const expected = place.split('/')
  return (
    finding.rule === rule &&
    keys.length === expected.length &&
    expected.every((key, index) => key === '*' || key === keys[index])
  )
}

const lintWithRedocly = async (source: string, absoluteRef: string): Promise<Finding[]> => {
  const config = await createConfig({ extends: ['all'] })
  const problems = await lintFromString({ source, absoluteRef, config })
  return problems.map(({ ruleId, message, location: [location] }) => ({
    rule: `redocly:${ruleId}`,
    place: location?.pointer ?? '',
    message,
  }))
}

/** Spectral's OWASP rules have their name in front already. */
const lintWithSpectral = async (source: string, file: string, ruleset: object, prefix: string): Promise<Finding[]> => {
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset(new spectralCore.Ruleset({ extends: [[ruleset, 'all']] }))
  const results = await spectral.run(new spectralCore.Document(source, spectralParsers.Yaml, file))
  return results.map(({ code, path, message }) => ({ rule: `${prefix}${code}`, place: pointer(path), message }))
}

const pointer = (path: readonly (string | number)[]): string =>
  `#/${path.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
