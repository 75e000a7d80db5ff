import { headerValues } from './header-values.ts'

/**
 * The token of `Authorization: Bearer <token>`, whose scheme is matched without case (RFC 9110).
 * `undefined` where there is none, or more than one such header.
 */
export const bearerToken = (headers: Parameters<typeof headerValues>[0]): string | undefined => {
  const [value, ...others] = headerValues(headers, 'Authorization')
  if (value === undefined || others.length > 0) return undefined
  return /^Bearer +([^ ]+) *$/i.exec(value)?.[1]
}
