import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { ReferenceSite } from '../constructs/reference/reference-site.ts'
import { stageName } from '../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'
import { buildSite } from '../reference/site.ts'

export interface ReferenceStackProps extends StackProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  /** Scheme and host of the API. It may be a token. */
  readonly apiOrigin: string
}

/** The API reference as a web page, and the contract with the base URL of this environment. */
export class ReferenceStack extends Stack {
  constructor(scope: Construct, id: string, props: ReferenceStackProps) {
    super(scope, id, props)
    const { environment, config, apiOrigin } = props
    const { contactUrl } = config
    const files = buildSite({
      baseUrl: `${apiOrigin}/${stageName}`,
      environment,
      ...(contactUrl !== undefined && { contactUrl }),
    })
    const { url } = new ReferenceSite(this, 'Site', { files, apiOrigin })
    new CfnOutput(this, 'ReferenceUrl', { value: url })
  }
}
