import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CfnResource, Duration, RemovalPolicy } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Alias,
  ApplicationLogLevel,
  Architecture,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { EnvironmentVariable } from '../../../shared/environment-variables.ts'
import { bundleFunction } from '../../bundling/function-bundle.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { ServiceLogGroup } from '../monitoring/logs.ts'
import { type ServiceTables, tableAccess, tableVariables } from './table-access.ts'

export interface OperationFunctionProps {
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  /** In addition to the names of the tables that it may use. */
  readonly environment?: Partial<Record<EnvironmentVariable, string>>
  /** @default 10 */
  readonly timeoutSeconds?: number
}

/** The function of `functions/` that its id names: its bundle, its log group, and a role with the permissions that it needs. */
export class OperationFunction extends Construct {
  /** Receives the requests. A release moves it from one version to the next. */
  readonly alias: Alias
  /** The alias as a function. */
  readonly handler: IFunction
  readonly logGroup: ILogGroup

  /** @throws UserError where there is no such function, or nothing says what it may do */
  constructor(
    scope: Construct,
    name: string,
    { config, tables, environment, timeoutSeconds = 10 }: OperationFunctionProps,
  ) {
    super(scope, name)
    this.logGroup = new ServiceLogGroup(this, 'Logs', config)
    // CDK's default role has AWSLambdaBasicExecutionRole, which may write to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    this.logGroup.grantWrite(role)
    const access = accessOf(name)
    for (const { table, index, actions } of access) {
      const { tableArn } = tables[table]
      // `Table.grant` always adds all indexes of the table.
      const resources = [index === undefined ? tableArn : `${tableArn}/index/${index}`]
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources }))
    }
    const lambda = new LambdaFunction(this, 'Function', {
      description: `Pet Adoption API: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundleOf(name)),
      memorySize: config.memoryMegabytes,
      ...(config.reservedConcurrency !== undefined && { reservedConcurrentExecutions: config.reservedConcurrency }),
      // Old versions stay, so that an alias can be moved back to one at once. A version whose creation is rolled back is
      // deleted: Lambda would not publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      // The default, PassThrough, records nothing ("Visualize Lambda function invocations using AWS X-Ray").
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      timeout: Duration.seconds(timeoutSeconds),
      environment: {
        ...Object.fromEntries(access.map(({ table }) => [tableVariables[table], tables[table].tableName])),
        ...environment,
      },
      loggingFormat: LoggingFormat.JSON,
      // The access log has a line for every request. With INFO Lambda would add two for each run that succeeds.
      applicationLogLevelV2: ApplicationLogLevel.WARN,
      systemLogLevelV2: SystemLogLevel.WARN,
      logGroup: this.logGroup,
      role,
    })
    // By this the local environment knows which function it is.
    const resource = lambda.node.defaultChild
    if (CfnResource.isCfnResource(resource)) resource.addMetadata('operation', name)
    // With exactOptionalPropertyTypes CDK's classes do not satisfy its interfaces: that is why there are two assertions.
    this.alias = new Alias(this, 'Live', { aliasName: 'live', version: lambda.currentVersion as IVersion })
    this.handler = this.alias as IFunction
  }
}

const accessOf = (name: string) => {
  const access = new Map(Object.entries(tableAccess)).get(name)
  if (access !== undefined) return access
  throw new UserError(
    `infra/constructs/functions/table-access.ts has no entry ${name}: add one with the permissions of the function.`,
  )
}

const bundles = mkdtempSync(join(tmpdir(), 'pet-adoption-bundles-'))
process.on('exit', () => rmSync(bundles, { recursive: true, force: true }))

/** The folder of a function's bundle, the same for all environments. */
const bundleOf = (name: string): string => {
  const bundle = join(bundles, name)
  if (!existsSync(bundle)) bundleFunction(name, bundle)
  return bundle
}
