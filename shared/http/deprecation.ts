import type { MiddlewareObj } from '@middy/core'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import { answerHeaders } from './answer-headers.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import type { DeprecationNotice } from './operation-contract.ts'
import { basePath } from './request-path.ts'

/** Announces the end of a deprecated operation on every answer, and ends it when its time has come. */
export const deprecation = (notice: DeprecationNotice, clock: Clock): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const announced = { Deprecation: `@${notice.since / 1_000}`, Sunset: new Date(notice.sunset).toUTCString() }
  return {
    ...answerHeaders((event) => ({
      ...announced,
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
