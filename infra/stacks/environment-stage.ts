import { Stage } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { Clock } from '../../shared/clock.ts'
import { checkFunctionsMatchContract } from '../constructs/functions/function-folders.ts'
import type { ContractOperation } from '../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'
import { ApiStack } from './api-stack.ts'
import { DataStack } from './data-stack.ts'
import { MonitoringStack } from './monitoring-stack.ts'
import { ReferenceStack } from './reference-stack.ts'

export interface EnvironmentStageProps {
  readonly config: EnvironmentConfig
  readonly operations: readonly ContractOperation[]
  /** The names of the folders in `functions/`. */
  readonly functionFolders: readonly string[]
  readonly clock: Clock
  /** The Region of the deploying credentials, where the `cdk` command has found one. */
  readonly credentialsRegion?: string
}

/** The stacks of an environment, deployed together by `cdk deploy '<environment>/*'`. */
export class EnvironmentStage extends Stage {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly data: DataStack
  readonly api: ApiStack
  readonly reference: ReferenceStack
  readonly monitoring: MonitoringStack

  /** @throws Error when the contract and the functions do not match */
  constructor(scope: Construct, environment: EnvironmentName, props: EnvironmentStageProps) {
    const { config, operations, functionFolders, clock } = props
    const { account, region } = config
    super(scope, environment, {
      env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) },
    })
    this.environment = environment
    this.config = config
    checkFunctionsMatchContract(operations, functionFolders)
    const tags = { service: 'pet-adoption', environment }
    this.data = new DataStack(this, 'data', {
      stackName: `pet-adoption-${environment}-data`,
      description: `Pet Adoption Service, ${environment}: the tables`,
      terminationProtection: config.tables.deletionProtection,
      tags,
      config,
    })
    this.api = new ApiStack(this, 'api', {
      stackName: `pet-adoption-${environment}-api`,
      description: `Pet Adoption Service, ${environment}: the REST API and its functions`,
      terminationProtection: config.tables.deletionProtection,
      tags,
      environment,
      config,
      tables: this.data.tables,
      operations,
      clock,
      deployingRegion: region ?? props.credentialsRegion,
    })
    this.reference = new ReferenceStack(this, 'reference', {
      stackName: `pet-adoption-${environment}-reference`,
      description: `Pet Adoption Service, ${environment}: the API reference on the web`,
      terminationProtection: config.tables.deletionProtection,
      tags,
      environment,
      config,
      baseUrl: this.api.api.baseUrl,
    })
    // With a domain the page refers to nothing of the API's stack. It must still not be deployed before the API.
    this.reference.addStackDependency(this.api)
    this.monitoring = new MonitoringStack(this, 'monitoring', {
      stackName: `pet-adoption-${environment}-monitoring`,
      description: `Pet Adoption Service, ${environment}: the dashboard and the budget`,
      tags,
      environment,
      config,
      topic: this.api.topic,
      alarmNames: this.api.alarmNames,
      apiName: this.api.stackName,
      dataName: this.data.stackName,
      accessLogName: this.api.api.accessLog.logGroup.logGroupName,
    })
  }
}
