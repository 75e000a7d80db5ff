import { KeyTable } from '../../../shared/api-keys/key-table.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { environments, localStage } from '../../environments.ts'
import type { recording } from '../target/audit.ts'
import type { OpenEnvironment } from '../target/open-environment.ts'
import { KeyAdministration } from './administration.ts'

/** The keys of an environment. */
export const administer = (
  { environment, database, tables }: Pick<OpenEnvironment, 'environment' | 'database' | 'tables'>,
  recorded?: ReturnType<typeof recording>,
  clock: Clock = systemClock,
): KeyAdministration => {
  const { apiKeyPrefix: prefix } = environments[environment === 'local' ? localStage : environment]
  const table = new KeyTable(database, tables.apiKeys)
  return new KeyAdministration({ table, prefix, clock, ...(recorded !== undefined && { recorded }) })
}
