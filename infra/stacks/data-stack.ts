import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import {
  apiKeysTableSchema,
  auditTableSchema,
  idempotencyTableSchema,
  listingsTableSchema,
  petsTableSchema,
} from '../../shared/dynamodb/table-schemas.ts'
import type { ServiceTables } from '../constructs/functions/table-access.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'

/** Properties of every stack of the service. */
export interface ServiceStackProps extends StackProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
}

/** The tables, which must outlive every deployment. */
export class DataStack extends Stack {
  readonly tables: ServiceTables

  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props)
    const isProtected = props.config.data === 'protected'

    const pets = this.#addTable('Pets', isProtected, {
      partitionKey: { name: petsTableSchema.partitionKey, type: AttributeType.NUMBER },
    })
    const apiKeys = this.#addTable('ApiKeys', isProtected, {
      partitionKey: { name: apiKeysTableSchema.partitionKey, type: AttributeType.STRING },
    })
    const idempotency = this.#addTable('Idempotency', isProtected, {
      partitionKey: { name: idempotencyTableSchema.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: idempotencyTableSchema.timeToLive,
    })
    this.tables = { pets, apiKeys, idempotency }
    for (const table of Object.values(this.tables)) this.#exportTable(table)

    const { statusIndex } = petsTableSchema
    pets.addGlobalSecondaryIndex({
      indexName: statusIndex.name,
      partitionKey: { name: statusIndex.partitionKey, type: AttributeType.STRING },
      sortKey: { name: statusIndex.sortKey, type: AttributeType.NUMBER },
      projectionType: ProjectionType.ALL,
    })

    // The next two tables are used by commands only: no function reads or writes them.
    const audit = this.#addTable('Audit', isProtected, {
      partitionKey: { name: auditTableSchema.partitionKey, type: AttributeType.STRING },
      sortKey: { name: auditTableSchema.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: auditTableSchema.timeToLive,
    })
    const { dayIndex } = auditTableSchema
    audit.addGlobalSecondaryIndex({
      indexName: dayIndex.name,
      partitionKey: { name: dayIndex.partitionKey, type: AttributeType.STRING },
      sortKey: { name: dayIndex.sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    })
    this.#addTable('Listings', isProtected, {
      partitionKey: { name: listingsTableSchema.partitionKey, type: AttributeType.STRING },
      sortKey: { name: listingsTableSchema.sortKey, type: AttributeType.STRING },
    })
  }

  /**
   * Adds a table and the output of its name.
   *
   * The construct is `Table` rather than `TableV2`, because the service has one Region, and the local environment
   * passes the properties of an `AWS::DynamoDB::Table` to DynamoDB's CreateTable.
   */
  #addTable(
    name: string,
    isProtected: boolean,
    schema: Pick<TableProps, 'partitionKey' | 'sortKey' | 'timeToLiveAttribute'>,
  ): Table {
    const table = new Table(this, name, {
      ...schema,
      billingMode: BillingMode.PAY_PER_REQUEST,
      // DynamoDB owns the encryption key: no KMS requests, with their price and latency.
      encryption: TableEncryption.DEFAULT,
      deletionProtection: isProtected,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isProtected },
      // RETAIN keeps the tables even if the first deployment fails. RETAIN_ON_UPDATE_OR_DELETE would delete them then,
      // which deletion protection forbids, so the failed deployment could not be rolled back.
      removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    new CfnOutput(this, `${name}TableName`, { value: table.tableName })
    return table
  }

  /**
   * Exports a table that functions use, explicitly, so that the exports stay when no function uses the table any more:
   * CloudFormation refuses to delete an export that another stack still imports, and such a release could not be
   * deployed.
   */
  #exportTable(table: Table): void {
    this.exportValue(table.tableArn)
    this.exportValue(table.tableName)
  }
}
