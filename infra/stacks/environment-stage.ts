import { Stage } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { checkFunctionsMatchContract, readFunctionFolders } from '../constructs/functions/function-folders.ts'
import { type ContractOperation, readContract } from '../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'
import { ApiStack } from './api-stack.ts'
import { DataStack } from './data-stack.ts'
import { ReferenceStack } from './reference-stack.ts'

export interface EnvironmentStageProps {
  readonly config: EnvironmentConfig
  /** @default those of the contract */
  readonly operations?: readonly ContractOperation[]
  /** The names of the folders in `functions/`. @default those that have an entry point */
  readonly functionFolders?: readonly string[]
}

/** The stacks of an environment, deployed together by `cdk deploy '<environment>/*'`. */
export class EnvironmentStage extends Stage {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly data: DataStack
  readonly api: ApiStack
  readonly reference: ReferenceStack

  /** @throws Error when the contract and the functions do not match */
  constructor(scope: Construct, environment: EnvironmentName, props: EnvironmentStageProps) {
    const { config, operations = readContract().operations, functionFolders = readFunctionFolders() } = props
    const { account, region } = config
    super(scope, environment, {
      env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) },
    })
    this.environment = environment
    this.config = config
    checkFunctionsMatchContract(operations, functionFolders)
    const terminationProtection = config.data === 'protected'
    const describe = (name: string, content: string) => ({
      stackName: `pet-adoption-${environment}-${name}`,
      description: `Pet Adoption Service, ${environment}: ${content}`,
      tags: { service: 'pet-adoption', environment },
      environment,
      config,
    })
    this.data = new DataStack(this, 'data', { ...describe('data', 'the tables'), terminationProtection })
    this.api = new ApiStack(this, 'api', {
      ...describe('api', 'the REST API and its functions'),
      terminationProtection,
      tables: this.data.tables,
      operations,
    })
    this.reference = new ReferenceStack(this, 'reference', {
      ...describe('reference', 'the API reference on the web'),
      terminationProtection,
      baseUrl: this.api.api.baseUrl,
    })
    // With a domain the page refers to nothing of the API's stack. It must still not be deployed before the API.
    this.reference.addStackDependency(this.api)
  }
}
