import type { KnownFault } from './known-fault.ts'

const administration = 'test/unit/infra/commands/keys/administration.test.ts'

/** Faults of the commands for API keys. */
export const keysCommand: readonly KnownFault[] = [
  {
    title: 'a key works for years after its rotation',
    file: 'infra/commands/keys/administration.ts',
    find: 'nowSeconds + overlapSeconds,',
    replaceBy: 'nowSeconds + overlapSeconds * 1_000,',
    test: administration,
  },
  {
    title: 'a rotated key adds the pets of its customer again',
    file: 'infra/commands/keys/key.ts',
    find: 'replaced?.idempotencyScope ?? ownScope',
    replaceBy: 'ownScope',
    test: administration,
  },
  {
    title: 'a ban of a day counts after an operator has ended it',
    file: 'infra/commands/keys/administration.ts',
    find: '{ bannedUntil: 0, banCount: 0, refusalCount: 0 }',
    replaceBy: '{ bannedUntil: 0 }',
    test: administration,
  },
  {
    title: 'a revocation gives up when another operator changes the key',
    file: 'infra/commands/keys/administration.ts',
    find: 'stored = settled.current',
    replaceBy: 'throw createConflict(stored)',
    test: administration,
  },
  {
    title: 'a repeated rotation prolongs the overlap',
    file: 'infra/commands/keys/administration.ts',
    find: 'key.overlapEndsAt ?? nowSeconds + overlapSeconds',
    replaceBy: 'nowSeconds + overlapSeconds',
    test: administration,
  },
  {
    title: 'a key that has ended gets a successor that works',
    file: 'infra/commands/keys/administration.ts',
    find: 'if (!isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)\n\n',
    replaceBy: '',
    test: administration,
  },
  {
    title: 'the successor of a key has the limits of another plan',
    file: 'infra/commands/keys/administration.ts',
    find: 'const limits = { perMinute: key.minuteLimit, perDay: key.dayLimit }',
    replaceBy: 'const limits = { perMinute: 60, perDay: 1_000 }',
    test: administration,
  },
  {
    title: 'a rotation leaves no record of the key that it issues',
    file: 'infra/commands/keys/administration.ts',
    find: 'this.#audit.createPut(issueRecord),\n',
    replaceBy: '',
    test: administration,
  },
  {
    title: 'nobody knows the id of a key whose command was killed',
    file: 'infra/commands/keys/administration.ts',
    find: 'this.#announce(issued.record.keyId)\n    await this.#audit.record(record)\n',
    replaceBy: 'await this.#audit.record(record)\n',
    test: administration,
  },
  {
    title: 'a key that cannot be read cannot be revoked either',
    file: 'infra/commands/keys/administration.ts',
    find: "return this.#revoke('keys revoke', await this.find(idOrKey))",
    replaceBy: "await this.show(idOrKey); return this.#revoke('keys revoke', await this.find(idOrKey))",
    test: administration,
  },
  {
    title: 'a revocation of all keys misses one that is issued meanwhile',
    file: 'infra/commands/keys/administration.ts',
    find: 'activeKeys = await this.#listUnrevoked()\n    }',
    replaceBy: 'activeKeys = []\n    }',
    test: administration,
  },
  {
    title: 'a message shows the API key that an operator has pasted',
    file: 'infra/command-line/run-command.ts',
    find: 'console.error(redactApiKeys(describeError(error)))',
    replaceBy: 'console.error(describeError(error))',
    test: 'test/unit/infra/command-line/run-command.test.ts',
  },
  {
    title: 'a name in a table writes control characters to the terminal',
    file: 'infra/command-line/report.ts',
    find: 'rows.map((row) => row.map(makePrintable))',
    replaceBy: 'rows.map((row) => row.map((cell) => cell))',
    test: 'test/unit/infra/commands/keys/key-report.test.ts',
  },
  {
    title: 'a command changes production without being asked twice',
    file: 'infra/commands/environment/environment-command.ts',
    find: "if (env === 'production' && confirm === undefined) {",
    replaceBy: "if (env === 'production' && confirm === null) {",
    test: 'test/unit/infra/commands/keys/keys-command.test.ts',
  },
  {
    title: 'a command works on another account than the settings name',
    file: 'infra/commands/environment/deployed-environment.ts',
    find: 'if (account === undefined || account === accountOfStack) return',
    replaceBy: 'if (account === undefined || accountOfStack !== undefined) return',
    test: 'test/unit/infra/commands/environment/open-environment.test.ts',
  },
]
