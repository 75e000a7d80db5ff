import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suggestNearest } from '../../command-line/nearest.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { ContractOperation } from '../../contract/contract.ts'
import { operationAccess } from './table-access.ts'

export const functionsDirectory = fileURLToPath(new URL('../../../functions', import.meta.url))

const accessFile = 'infra/constructs/functions/table-access.ts'

/** The functions that serve no operation of the contract. */
const otherFunctions = ['unknown-route', 'authorizer', 'gateway-keys'] as const

/** The names of the folders in `functions/` that have an entry point. */
export const readFunctionFolders = (): readonly string[] =>
  globSync('*/index.ts', { cwd: functionsDirectory }).map(dirname).sort()

/**
 * An operation has the same name in the contract, in `functions/` and in `operationAccess`.
 *
 * @throws UserError that names the first operation or function without its counterpart
 */
export const checkFunctionsMatchContract = (
  operations: readonly ContractOperation[],
  folders: readonly string[],
): void => {
  const names = operations.map(({ name }) => name)
  const functions = [...names, ...otherFunctions]
  const access = Object.keys(operationAccess)
  const missing = functions.find((name) => !folders.includes(name))
  const withoutAccess = names.find((name) => !access.includes(name))
  const unknownFolder = folders.find((folder) => !functions.includes(folder))
  const unusedAccess = access.find((name) => !names.includes(name))
  if (unknownFolder !== undefined) {
    throw new UserError(
      `functions/${unknownFolder} is no operation of shared/contract/openapi.yaml: rename or remove it, or add its operation. ${suggestNearest(unknownFolder, functions)}`.trim(),
    )
  }
  if (missing !== undefined)
    throw new UserError(`The function ${missing} is missing: add functions/${missing}/index.ts.`)
  if (withoutAccess !== undefined) {
    throw new UserError(`${accessFile} has no entry ${withoutAccess}: add one with the permissions of the operation.`)
  }
  if (unusedAccess !== undefined) {
    throw new UserError(
      `${accessFile} has ${unusedAccess}, which is no operation of shared/contract/openapi.yaml: remove that entry.`,
    )
  }
}
