import { dirname, join } from 'node:path'
import { AssetHashType, DockerImage, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
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
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { EnvironmentVariable } from '../../../shared/environment-variables.ts'
import { operationTimeoutSeconds } from '../../../shared/timeouts.ts'
import { bundleModule, repositoryRoot } from '../../bundling/function-bundle.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { untraced } from '../api/api-findings.ts'
import { grantAccess, type ServiceTables, type TableAccess, tableEnvironment } from './table-access.ts'

export interface OperationFunctionProps {
  /** The function's folder in `functions/`, unless it has an entry point. */
  readonly name: string
  /** The module that exports the handler, by its path from the repository's root. */
  readonly entryPoint?: string
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly access: readonly TableAccess[]
  /** In addition to the names of the tables in `access`. */
  readonly environment?: Partial<Record<EnvironmentVariable, string>>
  /** @default that of an operation */
  readonly timeoutSeconds?: number
}

export const aliasName = 'live'

/** A function of `functions/`: its bundle, its log group, and a role with the permissions that it needs. */
export class OperationFunction extends Construct {
  /** The function's folder in `functions/`. */
  readonly name: string
  /** Receives the requests. A release moves it from one version to the next. */
  readonly alias: Alias
  /** The alias as a function. */
  readonly handler: IFunction
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id)
    const { name, config, tables, access } = props
    this.name = name
    const { memoryMegabytes, reservedConcurrency, tracing: isTraced } = config
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: config.logRetentionDays,
      removalPolicy: config.data === 'protected' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    // CDK's default role has AWSLambdaBasicExecutionRole, which may write to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    this.logGroup.grantWrite(role)
    grantAccess(role, tables, access)
    const lambda = new LambdaFunction(this, 'Function', {
      description: `Pet Adoption API: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: functionCode(props.entryPoint ?? `functions/${name}/index.ts`),
      memorySize: memoryMegabytes,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      // Old versions stay, so that an alias can be moved back to one at once. A version whose creation is rolled back is
      // deleted: Lambda would not publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      // The default, PassThrough, records nothing ("Visualize Lambda function invocations using AWS X-Ray").
      tracing: isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      timeout: Duration.seconds(props.timeoutSeconds ?? operationTimeoutSeconds),
      environment: { ...tableEnvironment(tables, access), ...props.environment },
      loggingFormat: LoggingFormat.JSON,
      // The access log has a line for every request. With INFO Lambda would add two for each run that succeeds.
      applicationLogLevelV2: ApplicationLogLevel.WARN,
      systemLogLevelV2: SystemLogLevel.WARN,
      logGroup: this.logGroup,
      role,
    })
    if (isTraced) {
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'The actions xray:PutTraceSegments and xray:PutTelemetryRecords support no resource.',
      })
    } else {
      Validations.of(lambda).acknowledge({ id: 'Serverless-LambdaTracing', reason: untraced })
    }
    Validations.of(lambda).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'API Gateway waits for the response; only asynchronous invocations use a dead-letter queue.',
    })
    // With exactOptionalPropertyTypes CDK's classes do not satisfy its interfaces: that is why there are two assertions.
    this.alias = new Alias(this, 'Live', { aliasName, version: lambda.currentVersion as IVersion })
    this.handler = this.alias as IFunction
  }
}

const functionCode = (entryPoint: string): Code =>
  Code.fromAsset(join(repositoryRoot, dirname(entryPoint)), {
    // The folder lacks the shared code and the packages of the bundle, so the hash is of the bundle.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires an image as a fallback. It is never used, because tryBundle succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle: (outputDirectory) => {
          bundleModule(entryPoint, outputDirectory)
          return true
        },
      },
    },
  })
