import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CfnResource, Duration, RemovalPolicy, Stage } from 'aws-cdk-lib'
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
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
import { operationTimeoutSeconds } from '../../../shared/timeouts.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { ServiceLogGroup } from '../monitoring/logs.ts'
import { bundleFunction } from './function-bundle.ts'
import { type ServiceTables, type TableAccess, tableAccess, tableVariables } from './table-access.ts'

interface ServiceFunctionProps {
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  /** Variables in addition to the names of the tables that the function may use. */
  readonly environment?: Partial<Record<EnvironmentVariable, string>>
  /** @default the timeout of an operation */
  readonly timeoutSeconds?: number
}

/**
 * A function of the folder `functions/`: its bundle, its log group, its role with the permissions that it needs, and
 * its alias.
 *
 *     new ServiceFunction(this, 'get-pet', { config, tables })
 */
export class ServiceFunction extends Construct {
  /** Receives the requests. A release moves the alias from one version to the next. */
  readonly alias: Alias
  /** The alias, in the type that other constructs take. */
  readonly handler: IFunction
  readonly logGroup: ILogGroup

  /**
   * @param name folder of `functions/`
   * @throws UserError if the folder is missing, or table-access.ts does not list the permissions of the function
   */
  constructor(scope: Construct, name: string, props: ServiceFunctionProps) {
    super(scope, name)
    this.logGroup = new ServiceLogGroup(this, 'Logs', props.config)
    const lambda = this.#createFunction(name, props)

    // The local environment identifies the function by this metadata.
    const resource = lambda.node.defaultChild
    if (CfnResource.isCfnResource(resource)) resource.addMetadata('operation', name)

    // CDK's classes do not satisfy its interfaces under exactOptionalPropertyTypes, hence two casts.
    this.alias = new Alias(this, 'Live', { aliasName: 'live', version: lambda.currentVersion as IVersion })
    this.handler = this.alias as IFunction
  }

  #createFunction(name: string, props: ServiceFunctionProps): LambdaFunction {
    const { config, tables, environment = {}, timeoutSeconds = operationTimeoutSeconds } = props
    const accesses = findTableAccess(name)
    const role = this.#createRole(tables, accesses)
    const { folder, sourceMap } = bundleOnce(name)
    this.#keepSourceMap(name, sourceMap)

    const tableNames: Record<string, string> = {}
    for (const { table } of accesses) tableNames[tableVariables[table]] = tables[table].tableName

    return new LambdaFunction(this, 'Function', {
      description: `Pet Adoption API: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(folder),
      memorySize: config.memoryMegabytes,
      ...(config.reservedConcurrency !== undefined && { reservedConcurrentExecutions: config.reservedConcurrency }),
      // Old versions stay, so that an operator can move the alias back to an earlier one without a deployment. Only a
      // version whose creation is rolled back is deleted: while it is there, Lambda publishes no other of its code.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      // Without `Active` Lambda records nothing, even if API Gateway does ("Visualize Lambda function invocations using
      // AWS X-Ray", PassThrough).
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      timeout: Duration.seconds(timeoutSeconds),
      environment: { ...tableNames, ...environment },
      loggingFormat: LoggingFormat.JSON,
      // The access log has a line for every request. At INFO Lambda would add two lines for each run that succeeds.
      applicationLogLevelV2: ApplicationLogLevel.WARN,
      systemLogLevelV2: SystemLogLevel.WARN,
      logGroup: this.logGroup,
      role,
    })
  }

  /**
   * Writes a source map beside the templates of the environment; it is not deployed. The local environment uses it to
   * name positions in the code, and operators can look up positions that a log names.
   */
  #keepSourceMap(name: string, sourceMap: string): void {
    const stage = Stage.of(this)
    if (stage === undefined) throw new Error(`The function ${name} is in no stage, which would have a folder for maps.`)
    const folder = join(stage.outdir, 'source-maps')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.js.map`), sourceMap)
  }

  /** Creates the role of the function. CDK's default role may write to every log group. */
  #createRole(tables: ServiceTables, accesses: readonly TableAccess[]): IRole {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    this.logGroup.grantWrite(role)
    for (const { table, index, actions } of accesses) {
      const { tableArn } = tables[table]
      // `Table.grant` would add all indexes of the table to the statement.
      const resource = index === undefined ? tableArn : `${tableArn}/index/${index}`
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [resource] }))
    }
    return role
  }
}

const findTableAccess = (name: string): readonly TableAccess[] => {
  const accessByName = new Map(Object.entries(tableAccess))
  const access = accessByName.get(name)
  if (access === undefined) {
    throw new UserError(
      `infra/constructs/functions/table-access.ts has no entry ${name}: add one with the permissions of the function.`,
    )
  }
  return access
}

const bundleFolder = mkdtempSync(join(tmpdir(), 'pet-adoption-bundles-'))
process.on('exit', () => rmSync(bundleFolder, { recursive: true, force: true }))

/** Bundles by the name of their function. */
const bundles = new Map<string, { readonly folder: string; readonly sourceMap: string }>()

/** Bundles a function at its first use, once for all environments. */
const bundleOnce = (name: string) => {
  const earlierBundle = bundles.get(name)
  if (earlierBundle !== undefined) return earlierBundle

  const folder = join(bundleFolder, name)
  const bundle = { folder, sourceMap: bundleFunction(name, folder) }
  bundles.set(name, bundle)
  return bundle
}
