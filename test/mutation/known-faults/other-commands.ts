import type { KnownFault } from './known-fault.ts'

const seed = 'test/unit/infra/commands/seed/seed.test.ts'
const smoke = 'test/unit/infra/commands/smoke/smoke.test.ts'

/** Faults of made-up animals and of the smoke test. */
export const otherCommands: readonly KnownFault[] = [
  {
    title: 'made-up pets replace pets of shelters',
    file: 'infra/commands/seed/seed-tool.ts',
    find: 'ConditionExpression: `attribute_not_exists(id) OR ${isMadeUp}`,',
    replaceBy: 'ConditionExpression: `attribute_not_exists(id) OR attribute_exists(id) OR ${isMadeUp}`,',
    test: seed,
  },
  {
    title: 'removing made-up pets removes pets of shelters',
    file: 'infra/commands/seed/seed-tool.ts',
    find: '`id <= :last AND ${isMadeUp}`',
    replaceBy: '`id <= :last OR ${isMadeUp}`',
    test: seed,
  },
  {
    title: 'the made-up pets of a later release are others',
    file: 'infra/commands/seed/seeded-pet.ts',
    find: "createHash('md5')",
    replaceBy: "createHash('sha1')",
    test: seed,
  },
  {
    title: 'a smoke test adds pets to production',
    file: 'infra/commands/smoke/smoke-tool.ts',
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
    title: 'a smoke test leaves its pets in the environment',
    file: 'infra/commands/smoke/smoke-tool.ts',
    find: 'if (!readsOnly) await removePetsOfRun(environment, audit, runId)',
    replaceBy: '',
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
