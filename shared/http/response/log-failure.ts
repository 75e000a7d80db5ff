import { inspect } from 'node:util'

/** A request that failed. */
interface FailedRequest {
  /** Operation of the contract, such as `getPet`; otherwise `unknownRoute`. */
  readonly operation: string
  /** Ids of the request, which its response and the access log have too. */
  readonly requestContext: { readonly requestId: string; readonly extendedRequestId?: string | undefined }
  /** Id of the caller's API key; undefined if the context of the authorizer is missing. */
  readonly keyId: string | undefined
}

/**
 * Logs why a request failed. Lambda turns the object into one line of JSON, without the causes of errors in it
 * (`LogPatch.js` of Lambda's Node.js runtime interface client). So the error is text, which has its causes.
 *
 * @example logFailure({ operation: 'getPet', requestContext: event.requestContext, keyId }, error)
 */
export const logFailure = ({ operation, requestContext, keyId }: FailedRequest, error: unknown): void => {
  const { requestId, extendedRequestId } = requestContext
  console.error({ operation, requestId, extendedRequestId, keyId, error: inspect(error) })
}
