import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UserError } from '../../command-line/user-error.ts'
import type { ContractOperation } from '../../contract/contract.ts'
import { operationAccess } from './table-access.ts'

export const functionsDirectory = fileURLToPath(new URL('../../../functions', import.meta.url))

/** The functions that are no operation of the contract. */
const otherFunctions = ['unknown-route', 'authorizer'] as const

/** The names of the folders in `functions/`. */
export const readFunctionFolders = (): readonly string[] =>
  readdirSync(functionsDirectory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

/**
 * One operation has one name: in the contract, in `functions/` and in the table of what it may do.
 *
 * @throws UserError that names the first operation or function that lacks its counterpart
 */
export const checkFunctionsMatchContract = (
  operations: readonly ContractOperation[],
  folders: readonly string[],
): void => {
  for (const { operationId, name } of operations) {
    if (!folders.includes(name)) {
      throw new UserError(`The contract's operation ${operationId} has no function: add the folder functions/${name}.`)
    }
    if (!Object.hasOwn(operationAccess, name)) {
      throw new UserError(
        `The operation ${operationId} has no entry ${name} in operationAccess: say there what it may do.`,
      )
    }
  }
  const expected = new Set<string>([...otherFunctions, ...operations.map(({ name }) => name)])
  for (const name of otherFunctions) {
    if (!folders.includes(name))
      throw new UserError(`The function ${name} is missing: add the folder functions/${name}.`)
  }
  for (const folder of folders) {
    if (!expected.has(folder)) {
      throw new UserError(
        `The folder functions/${folder} is no operation of the contract: remove it, or add its operation.`,
      )
    }
  }
  for (const name of Object.keys(operationAccess)) {
    if (!expected.has(name)) {
      throw new UserError(`operationAccess has ${name}, which is no operation of the contract: remove that entry.`)
    }
  }
}
