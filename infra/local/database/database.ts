/** A running DynamoDB engine of this machine, whichever it is. */
export interface Database {
  /** What the AWS SDK takes as `endpoint`. */
  readonly endpoint: string
  /** Whether it deletes items by their time to live. Readers compare it with the clock in any case. */
  readonly deletesExpiredItems: boolean
  close(): Promise<void>
}

export const engines = ['dynalite', 'dynamodb-local'] as const

export type Engine = (typeof engines)[number]
