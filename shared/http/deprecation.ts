import type { Clock } from '../clock.ts'
import { ServiceError } from '../service-error.ts'
import type { DeprecationNotice } from './operation-contract.ts'
import type { Refusal } from './request/refusals.ts'
import { readBasePath } from './request/request-path.ts'
import type { CreateHeaders } from './response/response-headers.ts'

/** Adds the announcement of the operation's end to the headers of a response, if the operation is deprecated. */
export const addDeprecationHeaders = (
  notice: DeprecationNotice | null,
  createHeaders: CreateHeaders,
): CreateHeaders => {
  if (notice === null) return createHeaders

  // The header `Deprecation` has @ and Unix seconds (RFC 9745), while `Sunset` has a date in words (RFC 8594).
  const deprecation = `@${notice.since / 1_000}`
  const sunset = new Date(notice.sunset).toUTCString()
  return (event) => ({
    ...createHeaders(event),
    Deprecation: deprecation,
    Sunset: sunset,
    Link: `<${readBasePath(event)}${notice.replacement}>; rel="successor-version"`,
  })
}

/** Refuses requests to a deprecated operation from its sunset on (404 `operation_removed`). */
export const refuseRemoved =
  (notice: DeprecationNotice | null, clock: Clock): Refusal =>
  () => {
    if (notice === null || clock() < notice.sunset) return
    throw new ServiceError('operation_removed', { message: formatRemovedMessage(notice) })
  }

const formatRemovedMessage = ({ sunset, advice }: DeprecationNotice): string => {
  const day = new Date(sunset).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return `This operation was removed on ${day}. ${advice}`
}
