import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { apiKeysTableSchema } from '../../shared/api-keys/api-key-record.ts'
import { idempotencyTableSchema } from '../../shared/idempotency/idempotency-table-schema.ts'
import { petsTableSchema } from '../../shared/pets/pets-table-schema.ts'
import type { ServiceTables } from '../constructs/functions/table-access.ts'
import { ServiceLogGroup } from '../constructs/monitoring/logs.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'

/** Of every stack. */
export interface ServiceStackProps extends StackProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
}

/** The data, which must outlive every deployment. */
export class DataStack extends Stack {
  readonly tables: ServiceTables

  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props)
    const { NUMBER, STRING } = AttributeType
    const isProtected = props.config.data === 'protected'
    const addTable = (name: string, own: Pick<TableProps, 'partitionKey' | 'timeToLiveAttribute'>): Table => {
      // `Table` rather than `TableV2`: the service has one Region, and the local environment passes the properties of an
      // `AWS::DynamoDB::Table` to DynamoDB's CreateTable.
      const table = new Table(this, name, {
        ...own,
        billingMode: BillingMode.PAY_PER_REQUEST,
        // Encrypted with a key that DynamoDB owns: no KMS request, with its price and latency.
        encryption: TableEncryption.DEFAULT,
        deletionProtection: isProtected,
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isProtected },
        // Not RETAIN_ON_UPDATE_OR_DELETE, by which a first deployment that fails would delete them: they are protected from
        // that, so it could not be rolled back either.
        removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      })
      new CfnOutput(this, `${name}TableName`, { value: table.tableName })
      // Exported by hand, as CloudFormation deletes no export that another stack still imports: without this, a version in
      // which nothing uses a table any more could not be deployed.
      this.exportValue(table.tableArn)
      this.exportValue(table.tableName)
      return table
    }
    this.tables = {
      pets: addTable('Pets', { partitionKey: { name: petsTableSchema.partitionKey, type: NUMBER } }),
      apiKeys: addTable('ApiKeys', { partitionKey: { name: apiKeysTableSchema.partitionKey, type: STRING } }),
      idempotency: addTable('Idempotency', {
        partitionKey: { name: idempotencyTableSchema.partitionKey, type: STRING },
        timeToLiveAttribute: idempotencyTableSchema.timeToLive,
      }),
    }
    const { name: indexName, partitionKey, sortKey } = petsTableSchema.statusIndex
    this.tables.pets.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: partitionKey, type: STRING },
      sortKey: { name: sortKey, type: NUMBER },
      projectionType: ProjectionType.ALL,
    })
    // The changes that operators make. They are few, and a question about one comes months later.
    const audit = new ServiceLogGroup(this, 'Audit', props.config, { retention: RetentionDays.ONE_YEAR })
    new CfnOutput(this, 'AuditLogGroupName', { value: audit.logGroupName })
  }
}
