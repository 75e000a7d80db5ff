import { createHash } from 'node:crypto'
import { localRegion } from '../../operations/target/local-database.ts'

/**
 * The account, Region and identifiers that a deployed stack would have. They are the same on each
 * start, because the data folder outlives a start.
 */
export const localAccount = '000000000000'

/** Such as `a1b2c3d4e5`, the shape of the identifiers that API Gateway gives to what it creates. */
export const identifier = (seed: string, length: number): string =>
  BigInt(`0x${createHash('sha256').update(seed).digest('hex')}`)
    .toString(36)
    .slice(0, length)

export const functionArn = (functionName: string): string =>
  `arn:aws:lambda:${localRegion}:${localAccount}:function:${functionName}`

export const tableArn = (tableName: string): string =>
  `arn:aws:dynamodb:${localRegion}:${localAccount}:table/${tableName}`

/** The function's name in the ARN of a function, of a version or of an alias. */
export const functionNameIn = (text: string): string | undefined =>
  /arn:aws:lambda:[^:]*:[^:]*:function:([^:/]+)/.exec(text)?.[1]
