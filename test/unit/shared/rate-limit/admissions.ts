import type { KeyHash } from '../../../../shared/api-keys/api-key.ts'
import type { Admission } from '../../../../shared/rate-limit/admission.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'

/** What becomes of so many requests at once. */
export const admissions = (limiter: RateLimiter, keyHash: KeyHash, count: number): Promise<Admission[]> =>
  Promise.all(Array.from({ length: count }, () => limiter.admit(keyHash)))

/** How many of them were admitted, exhausted and so on. */
export const kindsOf = (all: readonly Admission[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { kind } of all) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
