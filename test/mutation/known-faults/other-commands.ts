import type { KnownFault } from './known-fault.ts'

const audit = 'test/unit/infra/operations/environment/audit.test.ts'
const seed = 'test/unit/infra/operations/seed/seed.test.ts'
const sweep = 'test/unit/infra/operations/smoke/sweep.test.ts'

/** Faults of the audit, of made-up animals, of the smoke test and of the estimate of costs. */
export const otherCommands: readonly KnownFault[] = [
  {
    title: 'a change is made that the audit does not have',
    file: 'infra/operations/environment/audit.ts',
    find: "await writeLines(changes.map((change) => formatLine(time, change, { outcome: 'begun' })))",
    replaceBy: '',
    test: audit,
  },
  {
    title: 'the audit shows a secret of an error',
    file: 'infra/operations/environment/audit.ts',
    find: "return error instanceof Error ? error.name : 'Error'",
    replaceBy: "return error instanceof Error ? error.message : 'Error'",
    test: audit,
  },
  {
    title: 'made-up pets replace pets of shelters',
    file: 'infra/operations/seed/seed-tool.ts',
    find: 'ConditionExpression: `attribute_not_exists(id) OR ${isMadeUp}`,',
    replaceBy: 'ConditionExpression: `attribute_not_exists(id) OR attribute_exists(id) OR ${isMadeUp}`,',
    test: seed,
  },
  {
    title: 'removing made-up pets removes pets of shelters',
    file: 'infra/operations/seed/seed-tool.ts',
    find: '`id <= :last AND ${isMadeUp}`',
    replaceBy: '`id <= :last OR ${isMadeUp}`',
    test: seed,
  },
  {
    title: 'the made-up pets of a later release are others',
    file: 'infra/operations/seed/seeded-pet.ts',
    find: "createHash('md5')",
    replaceBy: "createHash('sha1')",
    test: seed,
  },
  {
    title: 'a smoke test revokes the keys of another owner',
    file: 'infra/operations/smoke/sweep.ts',
    find: 'allKeys.filter(({ owner }) => owner === smokeOwner)',
    replaceBy: 'allKeys.filter(({ owner }) => owner !== undefined)',
    test: sweep,
  },
  {
    title: 'a smoke test leaves its pets in the environment',
    file: 'infra/operations/smoke/sweep.ts',
    find: 'items.filter(({ addedBy }) => keyIds.has(addedBy))',
    replaceBy: 'items.filter(({ addedBy }) => addedBy === keyIds)',
    test: sweep,
  },
  {
    title: 'a key of a smoke test that was killed works for ever',
    file: 'infra/operations/smoke/sweep.ts',
    find: 'expiresAt: Math.floor(Date.now() / 1_000) + smokeKeySeconds,',
    replaceBy: '',
    test: sweep,
  },
]
