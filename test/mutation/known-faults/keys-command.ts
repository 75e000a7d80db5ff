import type { KnownFault } from './known-fault.ts'

/** Faults of the commands for API keys. */
export const keysCommand: readonly KnownFault[] = [
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
