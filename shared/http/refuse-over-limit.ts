import type { MiddlewareObj } from '@middy/core'
import type { ErrorCode } from '../errors/catalogue.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'

/** Responds 429 to a request that the authorizer found over a limit, banned or throttled, before anything else reads it. */
export const refuseOverLimit = (): MiddlewareObj<GatewayEvent, GatewayResult> => ({
  before: ({ event }) => {
    const { errorCode, errorMessage, retryAfter } = event.requestContext.authorizer
    if (errorCode === '') return
    const code = errorCode === ('api_key_banned' satisfies ErrorCode) ? errorCode : 'rate_limit_exceeded'
    throw new ServiceError(code, { message: errorMessage, headers: { 'Retry-After': retryAfter } })
  },
})
