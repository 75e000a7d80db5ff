import { UserError } from '../../command-line/user-error.ts'

/** The error for what a template has and the local environment does not run. */
export const unsupported = (what: string): UserError => new UserError(`The local environment does not support ${what}.`)
