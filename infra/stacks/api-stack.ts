import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { planNames } from '../../shared/api-keys/plans.ts'
import type { Clock } from '../../shared/clock.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { OperationFunction } from '../constructs/operation-function.ts'
import { PetAdoptionApi } from '../constructs/pet-adoption-api.ts'
import { warnOfSunsets } from '../constructs/sunset-warnings.ts'
import { authorizerAccess, operationAccess, type ServiceTables } from '../constructs/table-access.ts'
import { UsagePlans } from '../constructs/usage-plans.ts'
import type { ContractOperation } from '../contract/contract.ts'
import type { EnvironmentConfig } from '../environments.ts'

export interface ApiStackProps extends StackProps {
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly operations: readonly ContractOperation[]
  readonly clock: Clock
}

/** All that can be deleted and deployed again without losing anything. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { config, tables, operations, clock } = props
    warnOfSunsets(this, operations, clock)

    const authorizer = new OperationFunction(this, 'authorizer', {
      name: 'authorizer',
      config,
      tables,
      access: authorizerAccess,
      environment: {
        [environmentVariables.apiKeyPrefix]: config.apiKeyPrefix,
        [environmentVariables.refusalsBeforeBan]: String(config.banPolicy.refusalsBeforeBan),
        [environmentVariables.firstBanSeconds]: String(config.banPolicy.firstBanSeconds),
        [environmentVariables.longestBanSeconds]: String(config.banPolicy.longestBanSeconds),
      },
      timeoutSeconds: 5,
    })
    const unknownRoute = new OperationFunction(this, 'unknown-route', {
      name: 'unknown-route',
      config,
      tables,
      access: [],
    })
    const functions = operations.map((operation) => {
      const { name } = operation
      const access = operationAccess[name] ?? []
      return [operation, new OperationFunction(this, name, { name, config, tables, access }).function] as const
    })
    const api = new PetAdoptionApi(this, 'Api', {
      operations,
      functions: new Map(functions),
      unknownRoute: unknownRoute.function,
      authorizer: authorizer.function,
    })
    const usagePlans = new UsagePlans(this, 'UsagePlans', { restApi: api.restApi })

    new CfnOutput(this, 'BaseUrl', { value: api.baseUrl })
    for (const plan of planNames) {
      new CfnOutput(this, `${capitalized(plan)}UsagePlanId`, { value: usagePlans.byPlan[plan].usagePlanId })
    }
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
