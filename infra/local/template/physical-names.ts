import { createHash } from 'node:crypto'
import { UserError } from '../../command-line/user-error.ts'
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

/** Of a REST API: all its resources are below this one, which no template lists. */
export const rootResourceId = (restApiId: string): string => identifier(`${restApiId}/`, 6)

export const functionArn = (functionName: string): string =>
  `arn:aws:lambda:${localRegion}:${localAccount}:function:${functionName}`

/** @returns the function's name in the ARN of a function or an alias. @throws UserError where there is none */
export const namedFunction = (uri: string, what: string): string => {
  const name = /arn:aws:lambda:[^:]*:[^:]*:function:([^:/]+)/.exec(uri)?.[1]
  if (name === undefined) throw new UserError(`${what} names no Lambda function.`)
  return name
}
