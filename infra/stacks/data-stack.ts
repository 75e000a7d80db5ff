import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { apiKeysTableSchema } from '../../shared/api-keys/api-key-record.ts'
import { idempotencyTableSchema } from '../../shared/idempotency/idempotency-table-schema.ts'
import { petsTableSchema } from '../../shared/pets/pets-table-schema.ts'
import type { ServiceTables } from '../constructs/functions/table-access.ts'
import { ServiceLogGroup } from '../constructs/monitoring/service-log-group.ts'
import type { EnvironmentConfig } from '../environments.ts'

export interface DataStackProps extends StackProps {
  readonly config: EnvironmentConfig
}

/**
 * The data, which must outlive every deployment. `Table` rather than `TableV2`: the service has one Region, and the local
 * environment passes the properties of an `AWS::DynamoDB::Table` to DynamoDB's CreateTable.
 */
export class DataStack extends Stack {
  readonly tables: ServiceTables

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props)
    const isProtected = props.config.data === 'protected'
    const common = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      // Encrypted with a key that DynamoDB owns: no KMS request, with its price and latency.
      encryption: TableEncryption.DEFAULT,
      deletionProtection: isProtected,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isProtected },
      // Not RETAIN_ON_UPDATE_OR_DELETE, by which a first deployment that fails would delete them: they are protected from
      // that, so it could not be rolled back either.
      removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    }

    const pets = new Table(this, 'Pets', {
      ...common,
      partitionKey: { name: petsTableSchema.partitionKey, type: AttributeType.NUMBER },
    })
    const { statusIndex } = petsTableSchema
    pets.addGlobalSecondaryIndex({
      indexName: statusIndex.name,
      partitionKey: { name: statusIndex.partitionKey, type: AttributeType.STRING },
      sortKey: { name: statusIndex.sortKey, type: AttributeType.NUMBER },
      projectionType: ProjectionType.ALL,
    })

    const apiKeys = new Table(this, 'ApiKeys', {
      ...common,
      partitionKey: { name: apiKeysTableSchema.partitionKey, type: AttributeType.STRING },
    })

    const idempotency = new Table(this, 'Idempotency', {
      ...common,
      partitionKey: { name: idempotencyTableSchema.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: idempotencyTableSchema.timeToLive,
    })

    // The changes that operators make. They are few, and a question about one comes months later.
    const audit = new ServiceLogGroup(this, 'Audit', props.config, { retention: RetentionDays.ONE_YEAR })

    this.tables = { pets, apiKeys, idempotency }
    // Exported by hand, as CloudFormation deletes no export that another stack still imports: without this, a version in
    // which nothing uses a table any more could not be deployed.
    for (const { tableArn, tableName } of [pets, apiKeys, idempotency]) {
      this.exportValue(tableArn)
      this.exportValue(tableName)
    }
    new CfnOutput(this, 'PetsTableName', { value: pets.tableName })
    new CfnOutput(this, 'ApiKeysTableName', { value: apiKeys.tableName })
    new CfnOutput(this, 'IdempotencyTableName', { value: idempotency.tableName })
    new CfnOutput(this, 'AuditLogGroupName', { value: audit.logGroupName })
  }
}
