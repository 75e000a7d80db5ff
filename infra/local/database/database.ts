/** A DynamoDB of the local environment. */
export interface Database {
  /** The `endpoint` for the AWS SDK. */
  readonly endpoint: string
  /** Whether it deletes items by their time to live. Readers compare it with the clock in any case. */
  readonly deletesExpiredItems: boolean
  close(): Promise<void>
}
