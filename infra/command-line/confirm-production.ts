import { UsageError } from './usage-error.ts'

/**
 * Checks the option `--confirm`, without which a command changes nothing that callers of production would notice.
 *
 * @throws UsageError where it is missing, or names another environment
 */
export const confirmProduction = (environment: string, confirm: string | undefined): void => {
  if (confirm !== undefined && confirm !== environment) {
    throw new UsageError(`--confirm ${confirm} does not name the environment, which is ${environment}.`)
  }
  if (environment === 'production' && confirm === undefined) {
    throw new UsageError('Callers of production would notice this. If that is meant, add --confirm production.')
  }
}
