/** Types of the destinations of the audit's lines. */

/** The file of a local environment. */
export interface LocalAuditTrail {
  readonly file: string
}

/** The log group of an environment on AWS. */
export interface DeployedAuditTrail {
  readonly logGroupName: string
  readonly region?: string
}

/**
 * Writes at most 100 lines.
 *
 * @throws Error if a line may not have been written
 */
export type WriteLines = (lines: readonly string[]) => Promise<void>

/** A destination that is open. */
export interface OpenAuditTrail {
  /** AWS identity or local user of the operator. */
  readonly who: string
  readonly writeLines: WriteLines
}
