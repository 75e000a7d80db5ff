import { UserError } from '../command-line/user-error.ts'

/** Creates the error for a contract that cannot be served. `problem` is the rest of the sentence. */
export const createContractError = (problem: string): UserError =>
  new UserError(`Correct shared/contract/openapi.yaml: ${problem}`)
