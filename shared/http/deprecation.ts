import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { DeprecationNotice } from './operation-contract.ts'
import type { Refusal } from './refusals.ts'
import { readBasePath } from './request-path.ts'
import type { CreateHeaders } from './response-headers.ts'

/** The headers of a response, with the announcement that the operation ends, if it does. */
export const addDeprecationHeaders = (notice: DeprecationNotice | null, headersOf: CreateHeaders): CreateHeaders => {
  if (notice === null) return headersOf
  const announcement = { Deprecation: `@${notice.since / 1_000}`, Sunset: new Date(notice.sunset).toUTCString() }
  return (event) => ({
    ...headersOf(event),
    ...announcement,
    Link: `<${readBasePath(event)}${notice.replacement}>; rel="successor-version"`,
  })
}

/** Responds 404 from the time on at which the operation ends, if it does. */
export const refuseRemoved =
  (notice: DeprecationNotice | null, clock: Clock): Refusal =>
  () => {
    if (notice === null || clock() < notice.sunset) return
    throw new ServiceError('operation_removed', { message: removedMessage(notice) })
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
