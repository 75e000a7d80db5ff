import { makePrintable } from '../../command-line/printable.ts'
import { formatCount } from '../../command-line/report.ts'

const maximumShown = 3

/**
 * Formats what was found about animals: one line, however many they are.
 *
 * @example formatFinding('the settings lack the status "Hold"', numbers) // '...: 250 animals (D1, D2, D3 and others).'
 */
export const formatFinding = (text: string, numbers: readonly string[]): string => {
  const shown = numbers.slice(0, maximumShown).join(', ')
  const others = numbers.length > maximumShown ? ' and others' : ''
  return makePrintable(`${text}: ${formatCount(numbers.length, 'animal')} (${shown}${others}).`)
}

/** Groups numbers of animals by what was found about them, and formats a line for each group. */
export const formatFindings = (findings: readonly { readonly number: string; readonly reason: string }[]) =>
  [...Map.groupBy(findings, ({ reason }) => reason)].map(([reason, group]) =>
    formatFinding(
      reason,
      group.map(({ number }) => number),
    ),
  )
