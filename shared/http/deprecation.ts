import type { MiddlewareObj } from '@middy/core'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import type { DeprecationNotice } from './operation-contract.ts'
import { basePath } from './request-path.ts'
import { addHeaders } from './response-headers.ts'

/** Announces the end of a deprecated operation in every response, and refuses every request from that time on. */
export const deprecation = (notice: DeprecationNotice, clock: Clock): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const announcement = { Deprecation: `@${notice.since / 1_000}`, Sunset: new Date(notice.sunset).toUTCString() }
  return {
    ...addHeaders((event) => ({
      ...announcement,
      Link: `<${basePath(event)}${notice.replacement}>; rel="successor-version"`,
    })),
    before: () => {
      if (clock() >= notice.sunset) throw new ServiceError('operation_removed', { message: removedMessage(notice) })
    },
  }
}

const removedMessage = ({ sunset, advice }: DeprecationNotice): string => {
  const day = new Date(sunset).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return `This operation was removed on ${day}. ${advice}`
}
