import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import { bindingWindow, heldUntil, type Standing, standingOf, type WindowStanding } from './standing.ts'

/** What becomes of a request. `now` (milliseconds) is the time at which it was decided. */
export type Admission =
  | { readonly kind: 'invalid' }
  | ({ readonly kind: 'admitted' | 'exhausted' | 'banned' } & Figures)
  /** DynamoDB takes no more writes to this key's items at the moment. */
  | ({ readonly kind: 'throttled' } & Figures)

export interface Figures {
  /** The key as a whole, whichever of its items counted the request. */
  readonly record: ApiKeyRecord
  readonly standing: Standing
  /** The window that the answer shows. A refused request goes through after its `resetAt`, not before. */
  readonly shown: WindowStanding
  readonly now: number
}

export const figures = (record: ApiKeyRecord, now: number): Figures => {
  const standing = standingOf(record, now)
  return { record, standing, shown: bindingWindow(standing), now }
}

/** No window need be used up, and yet nothing goes through before `moment` (Unix seconds): the figures say so. */
export const heldFigures = (record: ApiKeyRecord, moment: number, now: number): Figures => {
  const standing = heldUntil(moment, standingOf(record, now))
  return { record, standing, shown: bindingWindow(standing), now }
}
