import { Stage } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'
import { ApiStack } from './api-stack.ts'
import { DataStack } from './data-stack.ts'
import { ReferenceStack } from './reference-stack.ts'

/** The stacks of an environment, deployed together by `cdk deploy '<environment>/*'`. */
export class EnvironmentStage extends Stage {
  readonly config: EnvironmentConfig
  readonly data: DataStack
  readonly api: ApiStack
  readonly reference: ReferenceStack | undefined

  constructor(scope: Construct, environment: EnvironmentName, config: EnvironmentConfig) {
    const { account, region } = config
    super(scope, environment, {
      env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) },
    })
    this.config = config
    const propsOf = (name: string, content: string) => ({
      stackName: `pet-adoption-${environment}-${name}`,
      description: `Pet Adoption Service, ${environment}: ${content}`,
      tags: { service: 'pet-adoption', environment },
      terminationProtection: config.data === 'protected',
      environment,
      config,
    })
    this.data = new DataStack(this, 'data', propsOf('data', 'the tables'))
    this.api = new ApiStack(this, 'api', {
      ...propsOf('api', 'the REST API and its functions'),
      tables: this.data.tables,
    })
    if (!config.reference) return
    this.reference = new ReferenceStack(this, 'reference', {
      ...propsOf('reference', 'the API reference on the web'),
      apiOrigin: this.api.origin,
    })
    // With a domain the page refers to nothing of the API's stack. It must still not be deployed before the API.
    this.reference.addStackDependency(this.api)
  }
}
