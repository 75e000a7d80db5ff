import { fileURLToPath } from 'node:url'
import { lint as lintWithRedocly, loadConfig } from '@redocly/openapi-core'
import type { ContractOperation } from './contract.ts'

const configFile = fileURLToPath(new URL('redocly.yaml', import.meta.url))

/** What to correct in the contract, a sentence each. The rules are in `redocly.yaml`. */
export const lint = async (file: URL): Promise<readonly string[]> => {
  const config = await loadConfig({ configPath: configFile })
  const problems = await lintWithRedocly({ ref: fileURLToPath(file), config })
  return problems.map(({ ruleId, message, location: [place] }) => `${place?.pointer}: ${message} (${ruleId})`)
}

/** An operation is announced as removed soon from then on, in milliseconds before its sunset. */
const notice = 90 * 24 * 3_600_000

/** The operations that respond 404 soon or already, a sentence each. */
export const sunsets = (operations: readonly ContractOperation[], now: number): readonly string[] =>
  operations.flatMap(({ operationId, deprecation }) =>
    deprecation !== undefined && now >= Date.parse(deprecation.sunset) - notice
      ? [`${operationId} responds 404 from ${deprecation.sunset} on: tell its callers, then remove it.`]
      : [],
  )
