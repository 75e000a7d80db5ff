import { AssetHashType, DockerImage, Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { EnvironmentVariable } from '../../shared/environment-variables.ts'
import { bundleFunction } from '../bundling/function-bundle.ts'
import type { EnvironmentConfig } from '../environments.ts'
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

/** One function of `functions/`, deployed: its bundle, its log group, and a role that can do no more than it needs. */
export class OperationFunction extends Construct {
  readonly function: LambdaFunction

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id)
    const { name, config, tables, access } = props
    const logGroup = new LogGroup(this, 'Logs', {
      retention: config.logs.retentionDays,
      removalPolicy: config.logs.keptAfterStack ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    // Rather than the role that CDK would make: AWSLambdaBasicExecutionRole may write to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    grantAccess(role, tables, access)
    this.function = new LambdaFunction(this, 'Function', {
      description: `Pet Adoption API: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: functionCode(name),
      memorySize: config.functions.memoryMegabytes,
      timeout: Duration.seconds(props.timeoutSeconds ?? 10),
      environment: { ...tableEnvironment(tables, access), ...props.environment },
      loggingFormat: LoggingFormat.JSON,
      logGroup,
      role,
    })
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
