/** A running DynamoDB engine on this machine. */
export interface Database {
  /** The `endpoint` for the AWS SDK. */
  readonly endpoint: string
  /** Whether it deletes items by their time to live. Readers compare it with the clock in any case. */
  readonly deletesExpiredItems: boolean
  close(): Promise<void>
}

export const engines = ['dynalite', 'dynamodb-local'] as const

export type Engine = (typeof engines)[number]
