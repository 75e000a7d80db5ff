import { fixedPlans } from '../../shared/api-keys/plans.ts'
import type { ContractOperation } from './contract.ts'

/**
 * The README with a row for each plan and for each operation, in the contract's order. The text of an operation that has a
 * row stays; a new one gets its summary.
 */
export const readmeTables = (readme: string, operations: readonly ContractOperation[]): string => {
  const plans = Object.entries(fixedPlans).map(([plan, { perMinute, perDay }]) => {
    const limits = [perMinute, perDay].map((limit) => limit.toLocaleString('en-US'))
    return `| ${plan.charAt(0).toUpperCase()}${plan.slice(1)} | ${limits.join(' | ')} |`
  })
  const described = operations.map(({ method, path, summary }) => {
    const beginning = `| \`${method} ${path}\` |`
    return readme.split('\n').find((line) => line.startsWith(beginning)) ?? `${beginning} ${summary} |`
  })
  return [
    { rows: /(?<=^\| plan \|.*\n\|-.*\n)(?:\|(?! Enterprise).*\n)*/m, lines: plans },
    { rows: /(?<=^\| operation \|.*\n\|-.*\n)(?:\|.*\n)*/m, lines: described },
  ].reduce((text, { rows, lines }) => text.replace(rows, () => lines.map((line) => `${line}\n`).join('')), readme)
}
