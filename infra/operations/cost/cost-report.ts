/** Reports of estimated costs. */
import { formatTable, type Report } from '../../command-line/report.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { assumptions, estimateMonth, type Mix } from './estimate.ts'

/** Reports months of several sizes, as a table in Markdown. */
export const reportMonths = (mix: Mix, configurations: Readonly<Record<string, EnvironmentConfig>>): Report => {
  const months = [1e5, 1e6, 1e7, 1e8].map((requests) => ({
    requests,
    dollars: mapValues(configurations, (config) => estimateMonth(requests, mix, config).dollars),
  }))

  const names = Object.keys(configurations)
  const head = ['requests a month', ...names.map((name) => `\`${name}\``)]
  const alignments = head.map(() => '---:')
  const rows = months.map(({ requests, dollars }) => [
    formatUnits(requests),
    ...Object.values(dollars).map(formatDollars),
  ])
  const lines = [head, alignments, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return { json: { months }, text: lines.join('\n') }
}

const mapValues = <Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Readonly<Record<string, Result>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

/** Reports one month: the lines of the bill, their sum and the assumptions. */
export const reportMonth = (requests: number, mix: Mix, environment: string, config: EnvironmentConfig): Report => {
  const { lines, dollars } = estimateMonth(requests, mix, config)

  const rows = lines.map((line) => [
    line.service,
    line.what,
    formatUnits(line.units).padStart(9),
    `x $${line.tiers[0]}`,
    formatDollars(line.dollars).padStart(10),
  ])
  const unverifiedLines = lines.filter(({ asOf }) => asOf === undefined)
  const unverifiedPrices = unverifiedLines.map(({ service, what }) => `${service} ${what}`).join(', ')

  const authorizerMilliseconds = assumptions.authorizerSeconds * 1_000
  const operationMilliseconds = assumptions.operationSeconds * 1_000
  const text = [
    formatTable(rows),
    '',
    `Total ${formatDollars(dollars)} for ${formatUnits(requests)} requests to ${environment}, ` +
      'by list prices of us-east-1, without any free tier.',
    '',
    `Assumed, not measured on AWS: runs of ${authorizerMilliseconds} ms for the authorizer, ` +
      `${operationMilliseconds} ms for an operation and ${assumptions.gatewayKeysSeconds} s for gateway-keys; ` +
      `${assumptions.keys} keys that share the`,
    `requests evenly, the most expensive case; ${formatUnits(assumptions.pets)} pets before the month; ` +
      'pages of 20, half of them of one status;',
    'half of the creations with an Idempotency-Key; refused requests charged like others. ' +
      'Not in it: the API reference, log',
    'queries, notifications, support, tax.',
    '',
    `Prices that were not read on a page of AWS: ${unverifiedPrices}.`,
    'infra/operations/cost names the pages. Compare the prices with them, and the estimate with your bill.',
  ].join('\n')
  return { json: { environment, requests, mix, assumed: assumptions, lines, dollars }, text }
}

/** Formats a number of units. Small numbers keep up to four digits after the point. */
const formatUnits = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 4 : 0 })

const formatDollars = (dollars: number): string =>
  dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
