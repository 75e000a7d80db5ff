import { RegionInfo } from 'aws-cdk-lib/region-info'
import { UserError } from '../command-line/user-error.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'

/**
 * Checks what no type can: values that must fit each other.
 *
 * @param deployingRegion that of the deploying credentials, where the `cdk` command has found one
 * @throws UserError whose sentence says what to change in infra/environments.ts
 */
export const checkEnvironment = (
  environment: EnvironmentName,
  config: EnvironmentConfig,
  deployingRegion?: string,
): void => {
  const { account, domain, region = deployingRegion } = config
  if (environment === 'production' && config.data !== 'protected') {
    throw new UserError('production.data must be protected: a mistake could delete the tables of production.')
  }
  if (config.release === 'canary' && !config.alarms) {
    throw new UserError(
      `${environment} has the release canary without alarms, so nothing would roll it back: set alarms to true, or release to all-at-once.`,
    )
  }
  if (account !== undefined && !/^\d{12}$/.test(account)) {
    throw new UserError(`${environment}.account must be the twelve digits of an AWS account.`)
  }
  if (region === undefined) return
  checkRegion(environment, region)
  if (domain !== undefined && domain.certificateArn.split(':')[3] !== region) {
    throw new UserError(`The certificate of ${environment}.domain must be in the Region of the API, ${region}.`)
  }
}

/** CloudFormation has no origin access control of CloudFront in the other partitions, in GovCloud no CloudFront at all. */
const checkRegion = (environment: EnvironmentName, region: string): void => {
  const known = RegionInfo.regions.find(({ name }) => name === region)
  if (known?.partition === 'aws') return
  throw new UserError(
    known === undefined
      ? `CDK knows no AWS Region ${region}: correct ${environment}.region, or update aws-cdk-lib.`
      : `The Region ${region} cannot hold the API reference, because CloudFormation cannot put CloudFront before a private bucket there: set ${environment}.region to one outside China, GovCloud, the European Sovereign Cloud and isolated Regions.`,
  )
}
