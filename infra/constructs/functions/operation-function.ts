import { AssetHashType, DockerImage, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { EnvironmentVariable } from '../../../shared/environment-variables.ts'
import { bundleFunction } from '../../bundling/function-bundle.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { untraced } from '../api/api-findings.ts'
import { functionsDirectory } from './function-folders.ts'
import { grantAccess, type ServiceTables, type TableAccess, tableEnvironment } from './table-access.ts'

export interface OperationFunctionProps {
  /** The function's folder in `functions/`. */
  readonly name: string
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly access: readonly TableAccess[]
  /** Beside the names of the tables, which follow from `access`. */
  readonly environment?: Partial<Record<EnvironmentVariable, string>>
  /** @default 10 */
  readonly timeoutSeconds?: number
}

export const aliasName = 'live'

/** One function of `functions/`, deployed: its bundle, its log group, and a role that can do no more than it needs. */
export class OperationFunction extends Construct {
  /** The function's folder in `functions/`. */
  readonly name: string
  /** What requests go to: a release moves it from one version to the next. */
  readonly alias: Alias
  /** The same, for what takes any function. */
  readonly handler: IFunction

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id)
    const { name, config, tables, access } = props
    this.name = name
    const { memoryMegabytes, reservedConcurrency } = config.functions
    const logGroup = new LogGroup(this, 'Logs', {
      retention: config.logs.retentionDays,
      removalPolicy: config.logs.keptAfterStack ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    // Rather than the role that CDK would make: AWSLambdaBasicExecutionRole may write to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    grantAccess(role, tables, access)
    const lambda = new LambdaFunction(this, 'Function', {
      description: `Pet Adoption API: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: functionCode(name),
      memorySize: memoryMegabytes,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      // A version goes with its function, and not before: an alias can be moved back to it at once. But
      // one whose creation is rolled back goes with that, or it would stand in the way of the same code.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      // Without a mode it is PassThrough, which records nothing ("Visualize Lambda function invocations using AWS X-Ray").
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      timeout: Duration.seconds(props.timeoutSeconds ?? 10),
      environment: { ...tableEnvironment(tables, access), ...props.environment },
      loggingFormat: LoggingFormat.JSON,
      logGroup,
      role,
    })
    if (config.tracing) {
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray takes traces as a whole: xray:PutTraceSegments and PutTelemetryRecords know no resource.',
      })
    } else {
      Validations.of(lambda).acknowledge({ id: 'Serverless-LambdaTracing', reason: untraced })
    }
    Validations.of(lambda).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'API Gateway waits for the answer; only asynchronous invocations can end in a dead-letter queue.',
    })
    // CDK's own classes miss its own interfaces where an optional property may not be `undefined`
    // (exactOptionalPropertyTypes), hence the two assertions.
    this.alias = new Alias(this, 'Live', { aliasName, version: lambda.currentVersion as IVersion })
    this.handler = this.alias as IFunction
  }
}

const functionCode = (name: string): Code =>
  Code.fromAsset(`${functionsDirectory}/${name}`, {
    // By what is bundled: the folder does not hold the shared code and the packages that go in.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK asks for an image to fall back on. It is never used, because tryBundle succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle: (outputDirectory) => {
          bundleFunction(name, outputDirectory)
          return true
        },
      },
    },
  })
