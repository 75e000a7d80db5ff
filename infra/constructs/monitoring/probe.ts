import { Duration, Validations } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { environmentVariables } from '../../../shared/environment-variables.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { OperationFunction } from '../functions/operation-function.ts'
import type { ServiceTables } from '../functions/table-access.ts'

export interface ProbeProps {
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly baseUrl: string
}

/** Sends a request every five minutes, so that an outage is noticed without any caller. */
export class Probe extends Construct {
  /** Its errors are the requests that failed. */
  readonly handler: IFunction

  constructor(scope: Construct, id: string, { config, tables, baseUrl }: ProbeProps) {
    super(scope, id)
    const { alias, handler } = new OperationFunction(this, 'Function', {
      name: 'probe',
      entryPoint: 'infra/constructs/monitoring/probe-handler.ts',
      config,
      tables,
      access: [],
      environment: {
        [environmentVariables.baseUrl]: baseUrl,
        [environmentVariables.apiKeyPrefix]: config.apiKeyPrefix,
      },
    })
    this.handler = handler
    // Lambda would run a failed one twice more, and count each run.
    alias.configureAsyncInvoke({ retryAttempts: 0 })
    Validations.of(alias).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: 'The alarm counts its failures; an event holds nothing.',
    })
    const rule = new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(handler)],
    })
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'The next event comes in five minutes.',
    })
  }
}
