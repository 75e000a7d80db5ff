import type { KnownFault } from './known-fault.ts'

/** Faults of the audit: a change is missing in it, or the audit is wrong about what became of a change. */
export const audit: readonly KnownFault[] = []
