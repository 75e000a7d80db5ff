import { formatTable, type Report } from '../../command-line/report.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { assumptions, estimateMonth, type Mix } from './estimate.ts'

/** Months of several sizes, as a table in Markdown. */
export const reportMonths = (mix: Mix, setUps: Readonly<Record<string, EnvironmentConfig>>): Report => {
  const head = ['requests a month', ...Object.keys(setUps).map((name) => `\`${name}\``)]
  const months = [1e5, 1e6, 1e7, 1e8].map((requests) => {
    const sums = Object.entries(setUps).map(
      ([name, config]) => [name, estimateMonth(requests, mix, config).dollars] as const,
    )
    return { requests, dollars: Object.fromEntries(sums) }
  })
  const rows = months.map(({ requests, dollars }) => [count(requests), ...Object.values(dollars).map(money)])
  const text = [head, head.map(() => '---:'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  return { json: { months }, text }
}

/** One month, line by line, with what is assumed. */
export const reportMonth = (requests: number, mix: Mix, environment: string, config: EnvironmentConfig): Report => {
  const { lines, dollars } = estimateMonth(requests, mix, config)
  const rows = lines.map(({ service, what, units, tiers, dollars }) => {
    return [service, what, count(units).padStart(9), `x $${tiers[0]}`, money(dollars).padStart(10)]
  })
  const unverified = lines.filter(({ asOf }) => asOf === undefined).map(({ service, what }) => `${service} ${what}`)
  const text = `${formatTable(rows)}

Total ${money(dollars)} for ${count(requests)} requests to ${environment}, by list prices of us-east-1, without any free tier.

Assumed, not measured on AWS: runs of ${assumptions.authorizerSeconds * 1_000} ms for the authorizer, ${assumptions.operationSeconds * 1_000} ms for an operation and ${assumptions.gatewayKeysSeconds} s for gateway-keys; ${assumptions.keys} keys that share the
requests evenly, the most expensive case; ${count(assumptions.pets)} pets before the month; pages of 20, half of them of one status;
half of the creations with an Idempotency-Key; refused requests charged like others. Not in it: the API reference, log
queries, notifications, support, tax.

Prices that were not read on a page of AWS: ${unverified.join(', ')}.
infra/operations/cost names the pages. Compare the prices with them, and the estimate with your bill.`
  return { json: { environment, requests, mix, assumed: assumptions, lines, dollars }, text }
}

const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 4 : 0 })

const money = (dollars: number): string => dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
