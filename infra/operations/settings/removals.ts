import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { type EnvironmentConfig, type EnvironmentName, removable } from '../../environments.ts'

/** A sentence about a deployment, and the stack that it concerns. */
export interface Objection {
  readonly stack: 'data' | 'api'
  /** An error stops the deployment. */
  readonly isError: boolean
  readonly sentence: string
}

export interface Deployment {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  /** Those of the credentials with which the `cdk` command deploys. */
  readonly account: string
  readonly region: string | undefined
}

/** What a deployed resource has, as the CDK wrote it into the template. */
interface DeployedResource {
  readonly Type: string
  readonly DeletionPolicy?: string
  readonly Properties?: {
    readonly DomainName?: string
    readonly Protocol?: string
    readonly Endpoint?: string
    readonly DeletionProtectionEnabled?: boolean
    readonly PointInTimeRecoverySpecification?: { readonly PointInTimeRecoveryEnabled?: boolean }
  }
}

/** Compares a deployment with what is deployed: what it would remove although its operator has not said so by name. */
export const findObjections = async (deployment: Deployment): Promise<readonly Objection[]> => {
  const { environment, config } = deployment
  const mayRemove = new Set(config.mayRemove)
  if (removable.every((one) => mayRemove.has(one))) return []
  try {
    const wrongAccount = await findWrongAccount(deployment)
    if (wrongAccount !== undefined) return cannotCompare(environment, wrongAccount)
    const cloudFormation = new CloudFormationClient(clientOptions(deployment))
    const data = await readDeployed(cloudFormation, `pet-adoption-${environment}-data`)
    const api = await readDeployed(cloudFormation, `pet-adoption-${environment}-api`)
    const losses = [
      ['data', 'protection', lostProtection(data, config)],
      ['api', 'domain', lostDomain(api, config)],
      ['api', 'subscription', lostSubscription(api, config)],
    ] as const
    return losses.flatMap(([stack, what, lost]) => {
      if (lost === undefined || mayRemove.has(what)) return []
      const sentence = `This deployment would remove ${lost} from ${environment}: put the option back into infra/settings.json, or add -c ${environment}.remove=${what} if that is meant.`
      return [{ stack, isError: true, sentence }]
    })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (/^AccessDenied/.test(error.name)) {
      return cannotCompare(environment, `the credentials do not allow cloudformation:GetTemplate`)
    }
    // Whatever prevents the comparison prevents a deployment too. A synth needs neither network nor credentials.
    const sentence = `${environment} is not compared with what is deployed: ${error.message || error.name}`
    return [{ stack: 'api', isError: false, sentence }]
  }
}

const clientOptions = ({ config: { region }, ...deployment }: Deployment) => {
  const known = region ?? deployment.region
  return known === undefined ? {} : { region: known }
}

/** The SDK does not have the credentials of `cdk --profile`, or of a role that the `cdk` command assumes. */
const findWrongAccount = async (deployment: Deployment): Promise<string | undefined> => {
  const account = deployment.config.account ?? deployment.account
  const { Account } = await new STSClient(clientOptions(deployment)).send(new GetCallerIdentityCommand({}))
  return Account === account
    ? undefined
    : `it is in the account ${account}, and AWS_PROFILE or the other variables have credentials of ${Account}`
}

const readDeployed = async (client: CloudFormationClient, StackName: string): Promise<readonly DeployedResource[]> => {
  try {
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }))
    const { Resources = {} } = JSON.parse(TemplateBody) as { Resources?: Readonly<Record<string, DeployedResource>> }
    return Object.values(Resources)
  } catch (error) {
    // CloudFormation has no error of its own for a stack that is not there.
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message)) return []
    throw error
  }
}

const cannotCompare = (environment: EnvironmentName, reason: string): readonly Objection[] =>
  (['data', 'api'] as const).map((stack) => ({
    stack,
    isError: true,
    sentence: `${environment} cannot be compared with what is deployed: ${reason}. Correct that, or add -c ${environment}.remove=${removable.join()} to deploy without the comparison.`,
  }))

const lostDomain = (deployed: readonly DeployedResource[], { domain }: EnvironmentConfig): string | undefined => {
  const names = deployed.flatMap(({ Type, Properties }) =>
    Type === 'AWS::ApiGateway::DomainName' ? [Properties?.DomainName] : [],
  )
  const lost = names.find((name) => name !== domain?.name)
  return lost === undefined ? undefined : `the domain ${lost}`
}

/** Another address is a change that says what it is. */
const lostSubscription = (deployed: readonly DeployedResource[], config: EnvironmentConfig): string | undefined => {
  const { alarmEmail = 'none' } = config
  const subscription = deployed.find(({ Type }) => Type === 'AWS::SNS::Subscription')
  if (subscription === undefined || alarmEmail !== 'none') return undefined
  return `the subscription of ${subscription.Properties?.Endpoint} to alarms`
}

const lostProtection = (deployed: readonly DeployedResource[], { tables }: EnvironmentConfig): string | undefined => {
  const found = deployed.filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
  const has = (test: (table: DeployedResource) => unknown) => found.some((table) => test(table))
  if (!tables.deletionProtection && has(({ Properties }) => Properties?.DeletionProtectionEnabled)) {
    return 'the deletion protection of the tables'
  }
  const recovery = ({ Properties }: DeployedResource) =>
    Properties?.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled
  if (!tables.pointInTimeRecovery && has(recovery)) return 'the point-in-time recovery of the tables'
  if (!tables.keptAfterStack && has(({ DeletionPolicy }) => DeletionPolicy === 'Retain')) {
    return 'the tables, when the stack is deleted,'
  }
  return undefined
}
