/** `npm run faults`: tries known faults in a copy of the repository, and says whether the tests notice them. */

import { createCommand, formatExamples, runCommandLine } from '../../infra/command-line/command.ts'
import { formatCount, printReport } from '../../infra/command-line/report.ts'
import { exitCodes, UsageError, UserError } from '../../infra/command-line/user-error.ts'
import { createFaultyCopy, type Trial } from './faulty-copy.ts'
import { findMistakes, knownFaults, type ListedFault } from './known-faults/known-faults.ts'

/** Selects faults by part, or else by the beginning of their title or of the path of their file or test file. */
const selectFaults = (words: readonly string[]): readonly ListedFault[] => {
  const parts = new Set(knownFaults.map(({ part }) => part))
  const matches = ({ part, title, file, test }: ListedFault, word: string): boolean =>
    parts.has(word) ? part === word : [title, file, test].some((text) => text.startsWith(word))
  for (const word of words) {
    const isKnown = knownFaults.some((fault) => matches(fault, word))
    if (!isKnown) throw new UsageError(`No fault has the part, the title, the file or the test file "${word}".`)
  }
  return words.length === 0 ? knownFaults : knownFaults.filter((fault) => words.some((word) => matches(fault, word)))
}

const checkFaults = async (faults: readonly ListedFault[], asJson: boolean): Promise<void> => {
  const mistakes = faults.flatMap(findMistakes)
  const summary = `${formatCount(faults.length, 'fault')}, ${formatCount(mistakes.length, 'mistake')} in the list.`
  const exitCode = mistakes.length === 0 ? exitCodes.done : exitCodes.failure
  const text = [...mistakes, summary].join('\n')
  await printReport({ json: { faults: faults.length, mistakes }, text, exitCode }, asJson)
}

const tryFaults = async (faults: readonly ListedFault[], asJson: boolean): Promise<void> => {
  const mistakes = faults.flatMap(findMistakes)
  if (mistakes.length > 0) throw new UserError(mistakes.join('\n'))

  const { tryFault, findUselessTests } = createFaultyCopy()
  const uselessTests = await findUselessTests([...new Set(faults.map(({ test }) => test))])
  const trials: (ListedFault & Trial & { readonly seconds: number })[] = []
  for (const fault of faults) {
    const begin = performance.now()
    const reason = uselessTests.get(fault.test)
    const trial: Trial = reason === undefined ? await tryFault(fault) : { outcome: 'untried', detail: reason }
    const seconds = Math.round((performance.now() - begin) / 1_000)
    trials.push({ ...fault, ...trial, seconds })
    const { part, title, file, test } = fault
    const line = `${trial.outcome}  ${part}: ${title} (${file}), by ${test} in ${seconds} s: ${trial.detail}`
    if (!asJson) console.log(line)
  }

  const count = (outcome: Trial['outcome']): number => trials.filter((trial) => trial.outcome === outcome).length
  const counts = { noticed: count('noticed'), survived: count('survived'), untried: count('untried') }
  const { noticed, survived, untried } = counts
  await printReport(
    {
      json: { ...counts, trials },
      text: `${formatCount(faults.length, 'fault')}: ${noticed} noticed, ${survived} survived, ${untried} untried.`,
      exitCode: noticed === faults.length ? exitCodes.done : exitCodes.failure,
    },
    asJson,
  )
}

await runCommandLine(
  createCommand(
    'npm run faults --',
    'Tries known faults, and fails if one is not noticed by the test file that it names.',
  )
    .argument('[selections...]', 'parts, or beginnings of titles, files or test files; all faults by default')
    .option('--check', 'only check that each text stands in its file once, and that each test file exists')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('npm run faults -- rate-limit', 'npm run faults -- shared/pets test/unit/infra/stacks'),
    )
    .action((words, { check = false, json = false }) => {
      const faults = selectFaults(words)
      return check ? checkFaults(faults, json) : tryFaults(faults, json)
    }),
)
