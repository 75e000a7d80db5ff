import type { KnownFault } from './known-fault.ts'

const test = 'test/unit/infra/launch.test.ts'
const file = 'infra/launch.cjs'

/** Faults of the launcher, with which every command begins. */
export const launcher: readonly KnownFault[] = [
  {
    title: 'a Node.js that warns of type stripping runs the commands',
    file,
    find: 'minor >= 3',
    replaceBy: 'minor >= 0',
    test,
  },
  {
    title: 'a command that fails on an old Node.js seems to have succeeded',
    file,
    find: 'if (signal === null) process.exit(code)',
    replaceBy: 'if (signal === null) process.exit(0)',
    test,
  },
  {
    title: 'Ctrl-C leaves the program running on an old Node.js',
    file,
    find: 'for (const signal of signals) process.on(signal, () => program.kill(signal))',
    replaceBy: 'for (const signal of signals) process.on(signal, () => {})',
    test,
  },
  {
    title: 'a missing package is a stack trace',
    file,
    find: 'if (!existsSync(program)) fail(',
    replaceBy: 'if (program === undefined) fail(',
    test,
  },
]
