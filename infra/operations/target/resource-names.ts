import { type ApiKeyPrefix, isApiKeyPrefix } from '../../../shared/api-keys/api-key.ts'
import type { Plan } from '../../../shared/api-keys/plans.ts'
import { environmentVariables } from '../../../shared/environment-variables.ts'
import type { EnvironmentTemplate } from '../../local/template/environment-template.ts'
import { ClearError } from '../command-line/clear-error.ts'

/** The names by which commands beside the gateway reach what the template describes. */
export interface ResourceNames {
  readonly tables: { readonly pets: string; readonly apiKeys: string; readonly idempotency: string }
  readonly usagePlanIds: Readonly<Record<Plan, string>>
  readonly apiKeyPrefix: ApiKeyPrefix
}

/**
 * Reads them where operators find them after a deployment, in the outputs of the stacks.
 *
 * @throws ClearError that names what the template lacks.
 */
export const resourceNames = ({ outputs, functions }: EnvironmentTemplate): ResourceNames => {
  const all: Readonly<Record<string, unknown>> = Object.assign({}, ...Object.values(outputs))
  const output = (name: string): string => {
    const value = all[name]
    if (typeof value !== 'string') throw new ClearError(`No stack has an output named ${name}.`)
    return value
  }
  const apiKeyPrefix = [...functions.values()]
    .map(({ environment }) => environment[environmentVariables.apiKeyPrefix])
    .find((prefix) => prefix !== undefined && isApiKeyPrefix(prefix))
  if (apiKeyPrefix === undefined || !isApiKeyPrefix(apiKeyPrefix)) {
    throw new ClearError(`No function of the template has the variable ${environmentVariables.apiKeyPrefix}.`)
  }
  return {
    tables: {
      pets: output('PetsTableName'),
      apiKeys: output('ApiKeysTableName'),
      idempotency: output('IdempotencyTableName'),
    },
    usagePlanIds: {
      free: output('FreeUsagePlanId'),
      pro: output('ProUsagePlanId'),
      business: output('BusinessUsagePlanId'),
      enterprise: output('EnterpriseUsagePlanId'),
    },
    apiKeyPrefix,
  }
}
