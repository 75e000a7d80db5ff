import { type Environment, Stage } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'
import { AccountStack } from './account-stack.ts'
import { ApiStack } from './api-stack.ts'
import { DataStack, type ServiceStackProps } from './data-stack.ts'
import { ReferenceStack } from './reference-stack.ts'

/** The stacks of an environment, which `cdk deploy '<environment>/*'` deploys together. */
export class EnvironmentStage extends Stage {
  readonly config: EnvironmentConfig
  readonly data: DataStack
  readonly accountSettings: AccountStack
  readonly api: ApiStack
  /** Undefined if the settings turn the reference off. */
  readonly reference: ReferenceStack | undefined

  /** @param skipsCanary whether this release moves all traffic at once, whatever the settings say */
  constructor(scope: Construct, environment: EnvironmentName, config: EnvironmentConfig, skipsCanary: boolean) {
    super(scope, environment, { env: readLocation(config) })
    this.config = config

    const createProps = (stack: string, content: string): ServiceStackProps => ({
      stackName: `pet-adoption-${environment}-${stack}`,
      description: `Pet Adoption Service, ${environment}: ${content}`,
      tags: { service: 'pet-adoption', environment },
      environment,
      config,
    })

    const terminationProtection = config.data === 'protected'
    this.data = new DataStack(this, 'data', { ...createProps('data', 'the tables'), terminationProtection })
    this.accountSettings = new AccountStack(this, 'account', createProps('account', "the role for API Gateway's logs"))
    this.api = new ApiStack(this, 'api', {
      ...createProps('api', 'the REST API and its functions'),
      terminationProtection,
      tables: this.data.tables,
      skipsCanary,
    })
    // API Gateway refuses a stage with an access log while the account has no role for logs.
    this.api.addStackDependency(this.accountSettings)

    if (!config.reference) return
    // The stack has no termination protection, because AWS may refuse CloudFront to a new account. A stack whose first
    // deployment failed must be deleted before it is deployed again.
    this.reference = new ReferenceStack(this, 'reference', {
      ...createProps('reference', 'the API reference on the web'),
      apiOrigin: this.api.origin,
    })
    // The page must be deployed after the API. CDK sees this only while `apiOrigin` is the host name that AWS gives the
    // API. Once the domain of the settings is in use, it is a plain text, so the dependency is explicit.
    this.reference.addStackDependency(this.api)
  }
}

/** Reads the account and the Region of an environment. CDK takes a missing one from the credentials. */
const readLocation = ({ account, region }: EnvironmentConfig): Environment => ({
  ...(account !== undefined && { account }),
  ...(region !== undefined && { region }),
})
