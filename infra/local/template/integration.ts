import { UserError } from '../../command-line/user-error.ts'
import { namedFunction } from './physical-names.ts'
import { readStaticResponse, type StaticProperties, type StaticResponse } from './static-response.ts'

export type Integration =
  | { readonly type: 'AWS_PROXY'; readonly functionName: string; readonly timeoutMilliseconds: number }
  | { readonly type: 'MOCK'; readonly response: StaticResponse }

export interface IntegrationProperties {
  readonly Type: string
  readonly Uri?: string
  readonly TimeoutInMillis?: number
  readonly IntegrationResponses?: readonly (StaticProperties & { readonly SelectionPattern?: string })[]
}

/** API Gateway's maximum, and its default. */
const defaultTimeoutMilliseconds = 29_000

/**
 * @param label the method, for messages
 * @throws UserError for an integration that the local gateway does not support
 */
export const readIntegration = (
  label: string,
  { Type, Uri = '', TimeoutInMillis = defaultTimeoutMilliseconds, IntegrationResponses = [] }: IntegrationProperties,
): Integration => {
  if (Type === 'AWS_PROXY') {
    const functionName = namedFunction(Uri, `The integration of ${label}`)
    return { type: Type, functionName, timeoutMilliseconds: TimeoutInMillis }
  }
  // The response without a selection pattern is the default one.
  const response = IntegrationResponses.find(({ SelectionPattern }) => SelectionPattern === undefined)
  if (Type !== 'MOCK' || response === undefined) {
    throw new UserError(`The integration of ${label} is neither AWS_PROXY nor MOCK with a default response.`)
  }
  return { type: Type, response: readStaticResponse(`the MOCK integration of ${label}`, response) }
}
