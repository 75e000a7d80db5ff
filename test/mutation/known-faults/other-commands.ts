import type { KnownFault } from './known-fault.ts'

const smoke = 'test/unit/infra/commands/smoke/smoke.test.ts'

/** Faults of the smoke test. */
export const otherCommands: readonly KnownFault[] = [
  {
    title: 'a smoke test adds pets to production',
    file: 'infra/commands/smoke/smoke-command.ts',
    find: "readOnly || name === 'production'",
    replaceBy: 'readOnly',
    test: smoke,
  },
  {
    title: 'a smoke test removes pets of another owner',
    file: 'infra/commands/smoke/run.ts',
    find: 'owner === smokeOwner && contact === runId',
    replaceBy: 'contact === runId',
    test: smoke,
  },
  {
    title: 'a key of a smoke test that was killed works for ever',
    file: 'infra/commands/smoke/run.ts',
    find: 'expiresAt: Math.floor(Date.now() / 1_000) + smokeKeySeconds,',
    replaceBy: '',
    test: smoke,
  },
]
