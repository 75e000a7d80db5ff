import type { KnownFault } from './known-fault.ts'

const auditCommand = 'test/unit/infra/commands/audit/audit-command.test.ts'
const changeAudit = 'test/unit/infra/commands/environment/change-audit.test.ts'
const administration = 'test/unit/infra/commands/keys/administration.test.ts'

/** Faults of the audit: a change is missing in it, or the audit is wrong about what became of a change. */
export const audit: readonly KnownFault[] = [
  {
    title: 'a pet is changed, and the audit does not have the change',
    file: 'infra/commands/pets/change-pets.ts',
    find: 'await context.audit.record(record)\n',
    replaceBy: '',
    test: 'test/unit/infra/commands/pets/restore-and-undo.test.ts',
  },
  {
    title: 'a key is issued, and the audit does not have it',
    file: 'infra/commands/keys/administration.ts',
    find: 'await this.#audit.record(record)\n    await this.#audit.settle(record, () =>',
    replaceBy: 'await this.#audit.settle(record, () =>',
    test: administration,
  },
  {
    title: 'a change whose response was lost is a conflict',
    file: 'infra/commands/environment/change-audit.ts',
    find: 'if (readChangeId(current) === changeId) return true',
    replaceBy: '',
    test: administration,
  },
  {
    title: 'a change that another one has followed counts as not made',
    file: 'infra/commands/environment/read-audit.ts',
    find: 'isLatest(record) || previousIds.has(record.changeId)',
    replaceBy: 'isLatest(record)',
    test: auditCommand,
  },
  {
    title: 'a change that was never made counts as made',
    file: 'infra/commands/environment/read-audit.ts',
    find: 'isLatest(record) || previousIds.has(record.changeId)',
    replaceBy: 'isLatest(record) || previousIds.size > 0',
    test: auditCommand,
  },
  {
    title: 'an operator is told that nothing was changed when AWS has not answered',
    file: 'infra/commands/environment/change-audit.ts',
    find: 'throw new UnknownOutcomeError(record, error)',
    replaceBy: 'throw error',
    test: changeAudit,
  },
  {
    title: 'an operator is told that nothing was changed when AWS has refused only the second attempt',
    file: 'infra/commands/environment/change-audit.ts',
    find: "return $fault === 'client' && attempts === 1",
    replaceBy: "return $fault === 'client' && attempts > 0",
    test: changeAudit,
  },
  {
    title: 'the audit of a day ends after its first hundred changes',
    file: 'infra/commands/environment/read-audit.ts',
    find: 'ExclusiveStartKey = LastEvaluatedKey',
    replaceBy: 'ExclusiveStartKey = LastEvaluatedKey && undefined',
    test: auditCommand,
  },
  {
    title: 'the audit shows changes that have expired',
    file: 'infra/commands/environment/read-audit.ts',
    find: 'expiresAt > clock() / 1_000',
    replaceBy: 'expiresAt > 0',
    test: auditCommand,
  },
  {
    title: 'a pet that is given back to its source is changed, and the audit does not have it',
    file: 'infra/commands/pets/sync/release.ts',
    find: 'audit.createPut(record),',
    replaceBy: '',
    test: 'test/unit/infra/commands/environment/command-faults.test.ts',
  },
]
