import type { KeyHash } from '../../shared/api-keys/api-key.ts'
import type { Admission } from '../../shared/rate-limit/admission.ts'
import { windowSeconds } from '../../shared/rate-limit/windows.ts'

/**
 * The API Gateway key on which the usage plans meter a request: the caller's own, or the reserved one of a plan without
 * limits. A refused request must not use up the caller's plan at the edge. Nor must an admitted one around midnight,
 * when API Gateway may count it in another day than the table did: the caller would find one day's quota short.
 */
export const meteredKey = (
  { kind, now }: Exclude<Admission, { readonly kind: 'invalid' }>,
  keyHash: KeyHash,
  reservedKey: string,
): string => (kind === 'admitted' && !isAroundMidnight(now) ? keyHash : reservedKey)

/** Twice what the authorizer may take (5 s), so that clocks may differ a little too. */
const marginSeconds = 10

const isAroundMidnight = (now: number): boolean => {
  const second = (now / 1_000) % windowSeconds.day
  return second < marginSeconds || second >= windowSeconds.day - marginSeconds
}
